import path from "node:path";
import { rekeyFiles, type KeptFile, type Rekeyed } from "../secrets/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { lockCluster } from "./run-lock.ts";
import { selectClusters, type Selection } from "./select.ts";

type SecretsWorld = Pick<World, "folder" | "secretFiles" | "clock">;

export interface ShownSecret extends KeptFile {
  cluster: string;
  /** What the cluster file wants. */
  wanted: KeptFile["form"];
  /** Whether a key at hand opens it. */
  canOpen: boolean;
}

/** The secret files of clusters: how they lie there, and who can open them. */
export async function listSecrets(
  request: { fleet: Fleet; selection: Selection },
  { secretFiles: files }: SecretsWorld,
): Promise<ShownSecret[]> {
  const clusters = selectClusters(request.fleet, request.selection);
  const all = clusters.map(async ({ name: cluster, secrets }) =>
    Promise.all(
      (await files.list(cluster)).map(async (kept) => ({
        ...kept,
        cluster,
        wanted: secrets?.encryption ?? ("plain" as const),
        canOpen: await files.openFile(kept.file).then(
          () => true,
          () => false,
        ),
      })),
    ),
  );
  return (await Promise.all(all)).flat();
}

/** Writes the secret files of clusters anew, as the cluster file says: other keys, another form, or plain. */
export async function rekeySecrets(
  request: { fleet: Fleet; selection: Selection },
  { folder, secretFiles, clock }: SecretsWorld,
): Promise<(Rekeyed & { cluster: string })[]> {
  const done: (Rekeyed & { cluster: string })[] = [];
  for (const { name: cluster } of selectClusters(request.fleet, request.selection)) {
    const unlock = await lockCluster(folder, cluster, "secrets rekey", clock.now());
    try {
      done.push(...(await rekeyFiles(secretFiles, cluster)).map((each) => ({ ...each, cluster })));
    } finally {
      await unlock();
    }
  }
  return done;
}

/** The content of any file of age or SOPS. */
export const decryptSecret = (file: string, { secretFiles }: Pick<World, "secretFiles">): Promise<string> =>
  secretFiles.openFile(path.resolve(file));
