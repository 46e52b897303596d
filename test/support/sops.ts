import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export const howToGetSops = "build it with lab/build-sops.sh";
export const howToGetAge = "install it with: apt-get install age";

/** The real sops, from where lab/build-sops.sh puts it. */
export function findSops(): string | undefined {
  const cache = process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");
  const program = path.join(cache, "sops");
  return existsSync(program) ? program : undefined;
}

/** The age program on PATH. */
export const findAge = (): string | undefined =>
  spawnSync("age", ["--version"]).status === 0 ? "age" : undefined;
