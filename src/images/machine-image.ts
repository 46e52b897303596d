import path from "node:path";
import { talosOf, type Cluster, type GuestSystem, type TalosDistribution } from "../spec/index.ts";
import {
  formatOf,
  markOf,
  talosImage,
  talosIso,
  type LocalImage,
  type TalosImage,
} from "./factory/talos-image.ts";

/** The disk image machines start from, whatever is in it. */
export type MachineImage = Pick<TalosImage, "url" | "checksum" | "local" | "fileName"> & {
  /** As a person names it: `Talos 1.13.9`. */
  title: string;
  /** What is in an image of the factory's. */
  schematicId?: string;
  /** To be registered with this factory before it builds anything. */
  build?: (Required<Pick<TalosImage, "schematic" | "schematicId">> & { factory: string }) | undefined;
};

export function machineImage({ name, distribution }: Pick<Cluster, "name" | "distribution">): MachineImage {
  if (distribution.kind !== "talos") return cloudImage(name, distribution);
  return ofFactory(distribution, talosImage(distribution));
}

/** Where images are built to order for this cluster, if they are. */
export const imageFactory = ({ distribution }: Pick<Cluster, "distribution">): string | undefined =>
  "factory" in distribution ? distribution.factory : undefined;

/** The disc that machines install themselves from; only Talos has one. */
export const machineIso = (cluster: Pick<Cluster, "name" | "distribution">): MachineImage => {
  const distribution = talosOf(cluster);
  return ofFactory(distribution, talosIso(distribution));
};

function ofFactory(
  { version, factory }: TalosDistribution,
  { schematic, installer: _later, ...image }: TalosImage,
): MachineImage {
  const { schematicId } = image;
  return {
    ...image,
    title: `Talos ${version}`,
    build: schematic && { schematic, schematicId, factory },
  };
}

/** A cloud image is always the user's own choice. */
function cloudImage(cluster: string, { image, architecture }: GuestSystem): MachineImage {
  if (!image || "folder" in image) throw new Error(`cluster ${cluster} names no image`);
  const place = "url" in image ? image.url : image.file;
  const local: LocalImage | undefined = "file" in image ? { file: image.file } : undefined;
  return {
    url: place,
    local,
    checksum: image.checksum,
    fileName: `slipway-linux-${markOf(image).slice(0, 12)}-${architecture}.${formatOf(place)}`,
    title: path.posix.basename(place.replace(/[?#].*$/, "")),
  };
}
