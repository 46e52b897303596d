import type { RemovalScope, Graph, GraphNode, Survey } from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../../spec/index.ts";
import type { AccountWant } from "./account-want.ts";
import { groupByRealm } from "../host-registry.ts";

const kind = "proxmox/account";
const usualMs = 900;

export const accountsAmong = (graph: Graph): Graph => graph.filter((node) => node.kind === kind);

/** The same accounts, each with a new token. */
export const rotatedAccounts = (graph: Graph): Graph =>
  accountsAmong(graph).map((node) => ({
    ...node,
    want: { ...(node.want as AccountWant), isRotated: true } satisfies AccountWant,
  }));

/**
 * One account per Proxmox the cluster may stand on, also where no machine of it is yet. One that is no longer asked for is
 * removed; it is known by its file.
 */
export function describeAccounts(
  cluster: Cluster,
  hosts: ProxmoxHost[],
  survey: Survey,
  hasFile: boolean,
): Graph {
  if (!cluster.hasCloudAccount && !hasFile) return [];
  return groupByRealm(hosts, survey).flatMap((group) =>
    accountNode(cluster.name, group).map((node) =>
      cluster.hasCloudAccount ? node : { ...node, want: { ...node.want, isUnwanted: true as const } },
    ),
  );
}

/** Whether there is one is seen when it is looked for. */
export const describeLeftoverAccounts = (
  survey: Survey,
  hosts: ProxmoxHost[],
  removalScope: RemovalScope | undefined,
): Graph =>
  removalScope?.areLeftovers
    ? removalScope.clusters.flatMap((cluster) =>
        groupByRealm(hosts, survey).flatMap((group) => accountNode(cluster, group)),
      )
    : [];

function accountNode(cluster: string, group: ProxmoxHost[]): GraphNode<AccountWant>[] {
  const [first] = group;
  if (!first) return [];
  const { url, tls } = first.proxmox;
  return [
    {
      id: `${cluster}/account/${first.name}`,
      kind,
      name: `Proxmox account on ${first.name}`,
      want: {
        cluster,
        host: first.name,
        url: `${url.replace(/\/+$/, "")}/api2/json`,
        region: first.region ?? first.name,
        isInsecure: !("system" in tls),
      },
      after: [],
      group: "cluster",
      stage: "machines",
      cluster,
      host: first.name,
      usualMs,
    },
  ];
}
