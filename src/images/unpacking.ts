export type Packing = "xz" | "gz" | "zst" | "bz2" | "lzo";

/** How a file is packed, by its name; undefined for plain ones. */
export function packingOf(fileName: string): Packing | undefined {
  const found = /\.(xz|gz|zst|bz2|lzo)(?:[?#].*)?$/.exec(fileName);
  return found ? (found[1] as Packing) : undefined;
}

/**
 * Whether Proxmox can unpack a file while it downloads it. It never unpacks xz, and for disk images to import it
 * unpacks nothing: such files are unpacked before they reach it.
 */
export const canProxmoxUnpack = (packing: Packing, content: "iso" | "import"): boolean =>
  content === "iso" && packing !== "xz";
