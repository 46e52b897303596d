import type { ImageContent } from "../../../clients/proxmox/index.ts";
import type { LocalImage } from "../../../images/index.ts";

export interface ImageWant {
  host: string;
  storage: string;
  file: string;
  url: string;
  checksum?: { algorithm: string; value: string } | undefined;
  /** Absent: the node fetches it from `url`. */
  local?: LocalImage | undefined;
}

/** By its name: a disc to start from, or a disk to import. */
export const isIso = (file: string): boolean => file.endsWith(".iso");

export const contentOf = (file: string): ImageContent => (isIso(file) ? "iso" : "import");

/** How Proxmox names an image in a storage. */
export const volumeOf = (image: { storage: string; file: string }): string =>
  `${image.storage}:${contentOf(image.file)}/${image.file}`;
