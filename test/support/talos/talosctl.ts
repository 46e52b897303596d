import { labFile, peerFile } from "../peers.ts";

export const howToGetTalosctl = "build it with lab/build-talosctl.sh, or name one in $TALOSCTL";

/** The real talosctl, from where lab/build-talosctl.sh puts it. */
export function findTalosctl(): string | undefined {
  const named = process.env["TALOSCTL"];
  return named === undefined ? labFile("talosctl") : peerFile(named);
}
