import type { ClusterMedia } from "../../operations/index.ts";

/** Addresses go to other programs, so they stand plain, one to a line. */
export function renderBootMedia(media: ClusterMedia, isOneOfSeveral: boolean): string {
  const { cluster, title, schematic, iso, pxe, kernel, initramfs, cmdline, installer, file } = media;
  const rows: [string, string][] = [
    ["ISO", iso],
    ["PXE", pxe],
    ["kernel", kernel],
    ["initramfs", initramfs],
    ["cmdline", cmdline],
    ["installer", installer],
    ...(file === undefined ? [] : [["written", file] as [string, string]]),
  ];
  return [
    `${isOneOfSeveral ? `${cluster}   ` : ""}${title}, schematic ${schematic.id.slice(0, 12)}`,
    ...rows.map(([name, value]) => `  ${name.padEnd(9)}  ${value}`),
    "",
  ].join("\n");
}
