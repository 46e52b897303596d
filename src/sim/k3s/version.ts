import type { HostView } from "../linux/index.ts";
import { paths } from "./paths.ts";

/** The text of a file that stands in for the program of a version: `1.36.3+k3s1`, with or without a `v`. */
export const standInBinary = (version: string): string =>
  `slipway stand-in for k3s v${version.replace(/^v/, "")}\n`;

/** With its `v`, as the file at the program's place names it; undefined when that is no stand-in. */
export function installedVersion({ files }: Pick<HostView, "files">): string | undefined {
  const text = files.read(paths.binary)?.toString("utf8") ?? "";
  return /^slipway stand-in for k3s (v\S+)$/m.exec(text)?.[1];
}

/** `v1.36.3+k3s1 (5f8a2c31)`, as the program names itself. */
export const fullVersion = (version: string): string => `${version} (${commitOf(version)})`;

/** The same for the same version; nobody asks for more. */
function commitOf(version: string): string {
  let sum = 0x811c9dc5;
  for (const letter of version) sum = Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, "0");
}
