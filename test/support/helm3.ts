import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** Say this where a test is skipped for want of it. */
export const howToGetHelm3 = "needs Helm 3.18: lab/install-helm3.sh fetches it";

/** The oldest helm we work with. */
export const helm3Version = { major: 3, minor: 18, patch: 0 };

export function findHelm3(): string | undefined {
  const cache = process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");
  const program = path.join(cache, "helm3", "helm");
  return existsSync(program) ? program : undefined;
}
