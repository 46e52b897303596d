import { copyFile, mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { realClock, realRandom } from "../../../src/lib/index.ts";
import { secretStore } from "../../../src/secrets/index.ts";

const kept = path.join(os.tmpdir(), `slipway-test-secrets-${os.userInfo().uid}`);

/**
 * Gives a cluster named "lab" its secrets, for tests that are not about making them, which takes seconds. They are made
 * once on this machine and belong to nobody.
 */
export async function giveLabSecrets(folder: string): Promise<void> {
  await secretStore({ folder: kept, clock: realClock, random: realRandom, rsaBits: 2048 }).ensure("lab");
  await mkdir(path.join(folder, "lab"), { recursive: true, mode: 0o700 });
  await copyFile(path.join(kept, "lab/secrets.yaml"), path.join(folder, "lab/secrets.yaml"));
}
