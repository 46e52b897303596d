import path from "node:path";
import { isConfigFile } from "../distros/talos/index.ts";
import { plainCopies, rekeyFiles, type KeptFile, type Rekeyed } from "../secrets/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { lockCluster } from "./run-lock.ts";
import { selectClusters, type Selection } from "./select.ts";

export type { Rekeyed };

type SecretsWorld = Pick<World, "folder" | "secretFiles" | "clock">;

export interface ShownSecret extends KeptFile {
  cluster: string;
  /** What the cluster file wants; a plain copy of what is encrypted should not be there at all. */
  wanted: KeptFile["form"] | "no copy";
  /** Whether a key at hand opens it. */
  canOpen: boolean;
  /** A copy that Slipway did not make, and does not remove. */
  isForeign?: boolean;
}

/** The secret files of clusters: how they lie there, who can open them, and what else gives them away. */
export async function listSecrets(
  request: { fleet: Fleet; selection: Selection },
  { secretFiles: files }: SecretsWorld,
): Promise<ShownSecret[]> {
  const clusters = selectClusters(request.fleet, request.selection);
  const all = clusters.map(async ({ name: cluster, secrets }) => {
    const kept = (await files.list(cluster)).map(async (each) => ({
      ...each,
      cluster,
      wanted: secrets?.encryption ?? ("plain" as const),
      canOpen: await files.openFile(each.file).then(
        () => true,
        () => false,
      ),
    }));
    const copies = secrets ? await plainCopies(files, cluster) : [];
    return [
      ...(await Promise.all(kept)),
      ...copies.map(({ name, file, isDraft }) => ({
        name,
        file,
        cluster,
        isForeign: !isDraft && !isConfigFile(name),
        form: "plain" as const,
        wanted: "no copy" as const,
        canOpen: true,
      })),
    ];
  });
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
      done.push(
        ...(await rekeyFiles(secretFiles, cluster, isConfigFile)).map((each) => ({ ...each, cluster })),
      );
    } finally {
      await unlock();
    }
  }
  return done;
}

/** The content of any file of age or SOPS. */
export const decryptSecret = (file: string, { secretFiles }: Pick<World, "secretFiles">): Promise<string> =>
  secretFiles.openFile(path.resolve(file));
