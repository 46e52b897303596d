import { createHash } from "node:crypto";
import type { ImageChecksum, ImageSource, TalosDistribution } from "../../spec/index.ts";
import { imageUrl, installerImage, type FactoryBuild } from "./factory-urls.ts";
import { schematicId, type Schematic } from "./schematic.ts";
import { packingOf } from "../unpacking.ts";

/** The part of a distribution that decides its image. */
export type ImageChoice = Pick<
  TalosDistribution,
  "version" | "extensions" | "kernelArgs" | "architecture" | "factory" | "image" | "isSecureBoot"
>;

/** On this machine: one file, or the first of these names that the folder has. */
export type LocalImage = { file: string } | { folder: string; names: string[] };

/** The disk image the nodes of a cluster start from, and the installer they later upgrade from. */
export interface TalosImage {
  /** What must be registered with the factory once before it builds anything; absent for the user's own image. */
  schematic?: Schematic;
  schematicId: string;
  /** Where the hosts fetch it; where it could be fetched, when it is uploaded. */
  url: string;
  checksum?: ImageChecksum | undefined;
  /** Absent: the hosts fetch it themselves. */
  local?: LocalImage | undefined;
  /** Under which name it lies in a storage: the same content always has the same name. */
  fileName: string;
  installer: string;
}

export const talosImage = (choice: ImageChoice, platform: Platform = "nocloud"): TalosImage =>
  imageAs(choice, "qcow2", platform);

/** The same system as a disc to start from. A node installs itself from it, with the same installer. */
export const talosIso = (choice: ImageChoice, platform: Platform = "nocloud"): TalosImage =>
  imageAs(choice, "iso", platform);

type Platform = FactoryBuild["platform"];

function imageAs(choice: ImageChoice, plain: "qcow2" | "iso", platform: Platform): TalosImage {
  const { version, architecture, factory, image, isSecureBoot = false } = choice;
  const schematic: Schematic = {
    extraKernelArgs: choice.kernelArgs,
    officialExtensions: [...new Set(choice.extensions)].toSorted(),
  };
  const id = schematicId(schematic);
  const build = { factory, schematicId: id, version, platform, isSecureBoot };
  const machine = `${platform}-${architecture}${isSecureBoot ? "-secureboot" : ""}`;
  const name = (mark: string, format: string) =>
    `slipway-talos-${version}-${mark.slice(0, 12)}-${machine}.${format}`;
  const url = imageUrl({ ...build, architecture, format: plain });
  const common = { schematicId: id, url, installer: installerImage(build) };
  if (!image) return { ...common, schematic, fileName: name(id, plain) };
  if ("folder" in image) {
    const fileName = name(id, plain);
    const file = `${id}/v${version}/${machine}.${plain}`;
    const unpacked = [file, `image/${file}`, fileName];
    const names = packings.flatMap((packing) => unpacked.map((each) => `${each}${packing}`));
    return { ...common, local: { folder: image.folder, names }, fileName };
  }
  const place = "url" in image ? image.url : image.file;
  return {
    ...common,
    ...("url" in image ? { url: image.url } : { local: { file: image.file } }),
    checksum: image.checksum,
    fileName: name(markOf(image), plain === "iso" ? plain : formatOf(place)),
  };
}

/** Best first: what need not be unpacked. */
const packings = ["", ".zst", ".gz", ".xz"];

/** A file is known by its content alone, wherever it lies; an address may change what it serves. */
export function markOf(image: Exclude<ImageSource, { folder: string }>): string {
  const { checksum } = image;
  const text = "file" in image ? (checksum?.value ?? image.file) : `${image.url}\n${checksum?.value ?? ""}`;
  return createHash("sha256").update(text).digest("hex");
}

/** `raw` of `talos.raw.xz`. */
export function formatOf(place: string): string {
  const packing = packingOf(place);
  const plain = packing === undefined ? place : place.replace(new RegExp(`\\.${packing}(?=[?#]|$)`), "");
  return /\.(qcow2|raw|vmdk)(?:[?#]|$)/.exec(plain)?.[1] ?? "qcow2";
}
