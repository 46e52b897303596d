import path from "node:path";
import { plainCopies, rekeyFiles, type KeptFile, type Rekeyed } from "../secrets/index.ts";
import type { RecoveredSecrets } from "../plan/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { assemble } from "./planning/assemble.ts";
import { notRecoverable } from "./planning/errors.ts";
import { whileLocked } from "./run/guarded-run.ts";
import { lockCluster } from "./run/lock.ts";
import { distributionsIn } from "./fleet/facts.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";

export type { Rekeyed };

type SecretsWorld = Pick<World, "folder" | "secretFiles" | "clock" | "distributions">;

/** Files that a distribution wrote beside the secrets. */
const isOwnFile = (world: SecretsWorld, name: string): boolean =>
  distributionsIn(world).some((each) => each.isOwnFile?.(name));

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
  world: SecretsWorld,
): Promise<ShownSecret[]> {
  const { secretFiles: files } = world;
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
        isForeign: !isDraft && !isOwnFile(world, name),
        form: "plain" as const,
        wanted: "no copy" as const,
        canOpen: true,
      })),
    ];
  });
  return (await Promise.all(all)).flat();
}

/** Writes the secret files of clusters again, as the cluster file says: other keys, another format, or plain. */
export async function rekeySecrets(
  request: { fleet: Fleet; selection: Selection },
  world: SecretsWorld,
): Promise<(Rekeyed & { cluster: string })[]> {
  const { folder, secretFiles, clock } = world;
  const done: (Rekeyed & { cluster: string })[] = [];
  for (const { name: cluster } of selectClusters(request.fleet, request.selection)) {
    const unlock = await lockCluster(folder, cluster, "secrets rekey", clock.now());
    try {
      done.push(
        ...(await rekeyFiles(secretFiles, cluster, (name) => isOwnFile(world, name))).map((each) => ({
          ...each,
          cluster,
        })),
      );
    } finally {
      await unlock();
    }
  }
  return done;
}

/** Reads lost secrets back from a running cluster, with a credential that is left. */
export async function recoverClusterSecrets(
  request: { fleet: Fleet; cluster: Cluster; credential?: { text: string; file: string } | undefined },
  world: World,
): Promise<RecoveredSecrets> {
  const { fleet, cluster, credential } = request;
  const run = { command: "secrets recover", fleet, clusters: [cluster.name] };
  return whileLocked(run, world, async () => {
    const recovered = await assemble(world, fleet).distribution.recoverSecrets?.(cluster, credential);
    if (!recovered) throw notRecoverable(cluster.name);
    return recovered;
  });
}

/** The content of any file of age or SOPS. */
export const decryptSecret = (file: string, { secretFiles }: Pick<World, "secretFiles">): Promise<string> =>
  secretFiles.openFile(path.resolve(file));
