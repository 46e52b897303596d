import { createHash } from "node:crypto";
import type { TalosDistribution } from "../spec/index.ts";
import { imageUrl, installerImage } from "./factory.ts";
import { schematicId, type Schematic } from "./schematic.ts";

/** The disk image the nodes of a cluster start from, and the installer they later upgrade from. */
export interface TalosImage {
  /** What must be registered with the factory once before it builds anything; absent for the user's own image. */
  schematic?: Schematic;
  schematicId: string;
  url: string;
  checksum?: { algorithm: string; value: string };
  /** Under which name it lies in a storage: the same content always has the same name. */
  fileName: string;
  installer: string;
}

export function talosImage(distribution: TalosDistribution): TalosImage {
  const { version, architecture, factory, image } = distribution;
  const schematic: Schematic = {
    extraKernelArgs: distribution.kernelArgs,
    officialExtensions: [...new Set(distribution.extensions)].toSorted(),
  };
  const id = schematicId(schematic);
  const build = { factory, schematicId: id, version, platform: "nocloud" as const };
  const installer = installerImage(build);
  const name = (mark: string, format: string) =>
    `slipway-talos-${version}-${mark.slice(0, 12)}-nocloud-${architecture}.${format}`;
  if (image) {
    const mark = createHash("sha256")
      .update(`${image.url}\n${image.checksum?.value ?? ""}`)
      .digest("hex");
    return {
      schematicId: id,
      url: image.url,
      ...(image.checksum && { checksum: image.checksum }),
      fileName: name(mark, formatOf(image.url)),
      installer,
    };
  }
  return {
    schematic,
    schematicId: id,
    url: imageUrl({ ...build, architecture }),
    fileName: name(id, "qcow2"),
    installer,
  };
}

const formatOf = (url: string): string => /\.(qcow2|raw|vmdk)(?:[?#]|$)/.exec(url)?.[1] ?? "qcow2";
