import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export const howToGetTalosctl = "build it with lab/build-talosctl.sh, or name one in $TALOSCTL";

/** The real talosctl, from where lab/build-talosctl.sh puts it. */
export function findTalosctl(): string | undefined {
  const cache = process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");
  const program = process.env["TALOSCTL"] ?? path.join(cache, "talosctl");
  return existsSync(program) ? program : undefined;
}
