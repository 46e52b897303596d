import { rmSync } from "node:fs";
import os from "node:os";
import type { SlipwayError } from "../../../errors/index.ts";
import { factsOf, openClusterAccess, type ClusterAccess } from "../../../operations/index.ts";
import type { Cluster, Fleet } from "../../../spec/index.ts";
import { chooseCluster } from "../../errors.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";

/** The cluster of this name, or the only one that has Kubernetes. */
export function clusterFor(fleet: Fleet, name: string | undefined, command: string): Cluster {
  const named = fleet.clusters.find((cluster) => cluster.name === name);
  if (named) return named;
  const [only, ...others] = fleet.clusters.filter((cluster) => factsOf(cluster).kubernetes);
  if (!only || others.length > 0 || name !== undefined)
    throw chooseCluster(
      fleet.clusters.map((cluster) => cluster.name),
      command,
    );
  return only;
}

/** Held open until it is closed. Its files go too when a second Ctrl-C ends everything at once. */
export async function openAccess(
  shell: Shell,
  options: CommonOptions & { port?: number },
  { fleet, cluster, onTrouble }: { fleet: Fleet; cluster: Cluster; onTrouble(error: SlipwayError): void },
): Promise<ClusterAccess> {
  const access = await openClusterAccess(
    { cluster, scratch: shell.env["XDG_RUNTIME_DIR"] ?? os.tmpdir(), port: options.port, onTrouble },
    openWorld(shell, options, fleet),
  );
  shell.onSecondStop(() => rmSync(access.folder, { recursive: true, force: true }));
  return access;
}
