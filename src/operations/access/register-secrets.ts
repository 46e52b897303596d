import fs from "node:fs/promises";
import path from "node:path";
import type { World } from "../../world/index.ts";
import { distributionsIn } from "../fleet/facts.ts";

/** Every secret in the folder counts as known from here on, also those that nobody has needed yet. */
export async function registerSecrets(world: World): Promise<void> {
  const { secretFiles: files, folder, redaction } = world;
  const accessFiles = distributionsIn(world).flatMap((each) => each.accessFiles.map(({ name }) => name));
  for (const cluster of await files.clusters()) {
    // Reading is what makes them known; what cannot be opened stands nowhere in the open either.
    for (const { name } of await files.list(cluster).catch(() => []))
      await files.read(cluster, name).catch(() => undefined);
    for (const name of new Set(accessFiles)) {
      const text = await fs.readFile(path.join(folder, cluster, name), "utf8").catch(() => "");
      for (const [, key = ""] of text.matchAll(/(?:client-key-data|key|token): *["']?([\w+/=.-]{16,})/g))
        redaction.register(key);
    }
  }
}
