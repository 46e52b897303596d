import type { ClusterMedia } from "../../operations/index.ts";
import { drawLines, sentence, wholeLine, type Canvas } from "./text/line.ts";

/** Addresses go to other programs, so they stand plain, one to a line. */
export function renderBootMedia(media: ClusterMedia, isOneOfSeveral: boolean, canvas: Canvas): string {
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
  const head = `${isOneOfSeveral ? `${cluster}   ` : ""}${title}, schematic ${schematic.id.slice(0, 12)}`;
  return drawLines(
    [...sentence(head, canvas), ...rows.map(([name, value]) => wholeLine(`  ${name.padEnd(9)}  ${value}`))],
    canvas,
  );
}
