import type { ImageContent } from "../../clients/proxmox/index.ts";

/** By its name: a disc to start from, or a disk to import. */
export const isIso = (file: string): boolean => file.endsWith(".iso");

export const contentOf = (file: string): ImageContent => (isIso(file) ? "iso" : "import");

/** How Proxmox names an image in a storage. */
export const volumeOf = (image: { storage: string; file: string }): string =>
  `${image.storage}:${contentOf(image.file)}/${image.file}`;
