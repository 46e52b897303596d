import type { ReadContext, Survey, WantedArchive } from "../../../plan/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import type { Parts } from "../assemble.ts";
import type { Archives, LostHosts } from "../made-again.ts";

/** A node whose machine is made again from a backup of it. */
export interface FromBackup {
  /** `cluster/node`. */
  node: string;
  /** What the hypervisor knows the backup by; absent: the newest. */
  archive?: string | undefined;
}

/** Finds the backup that was asked for, on the hosts that the node may come to. */
export async function findArchives(
  ctx: ReadContext,
  asked: FromBackup | undefined,
  clusters: Cluster[],
  survey: Survey,
  { provider }: Parts,
  lost: LostHosts,
): Promise<Archives> {
  if (!asked) return new Map();
  const cluster = clusters.find(({ name }) => asked.node.startsWith(`${name}/`));
  const node = cluster?.nodes.find(({ name }) => `${cluster.name}/${name}` === asked.node);
  if (!cluster || !node) throw new Error(`no node ${asked.node} among the clusters of this run`);
  const wanted = wantedArchive(cluster, node, survey, lost);
  return new Map([[asked.node, await provider.machineBackups.find(ctx, wanted, asked.archive)]]);
}

/** Where backups of a node are looked for, and by which numbers. */
export function wantedArchive(
  cluster: Cluster,
  node: Node,
  survey: Survey,
  lost: LostHosts = new Set(),
): WantedArchive {
  const machine = survey.machines.find((each) => each.cluster === cluster.name && each.node === node.name);
  const host = machine?.host ?? node.host;
  const hosts = host === undefined ? cluster.on : [host];
  return {
    cluster: cluster.name,
    node: node.name,
    hosts: hosts.filter((each) => !lost.has(each)),
    ids: [machine?.id, node.vmid].flatMap((id) => id ?? []),
  };
}

/** Nodes go to the host that can read their backup, where only one can. */
export const nearArchives = (clusters: Cluster[], archives: Archives): Cluster[] =>
  clusters.map((cluster) => ({
    ...cluster,
    nodes: cluster.nodes.map((node) => {
      const host = archives.get(`${cluster.name}/${node.name}`)?.onlyOn;
      return host === undefined ? node : { ...node, host };
    }),
  }));
