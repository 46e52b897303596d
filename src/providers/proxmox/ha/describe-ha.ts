import { unlessEmpty } from "../../../lib/index.ts";
import {
  machineStep,
  type RemovalScope,
  type Graph,
  type GraphNode,
  type OwnedMachine,
  type PlacedNode,
  type Survey,
} from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../../spec/index.ts";
import { hostsOf } from "../../common/index.ts";
import type { HaWant } from "./ha-want.ts";
import { vmidOf } from "../machine/machine-want.ts";
import { groupByRealm } from "../host-registry.ts";

const usualMs = 800;

/** High availability of a cluster, per Proxmox it stands on. One that no longer wants it gets it switched off. */
export function describeHa(cluster: Cluster, placed: PlacedNode<ProxmoxHost>[], survey: Survey): Graph {
  const hosts = hostsOf(placed);
  return groupByRealm(hosts, survey).flatMap((group) => {
    const here = placed.filter(({ host }) => group.includes(host));
    if (cluster.isHighlyAvailable)
      return haNode(
        cluster.name,
        group,
        here,
        here.map(({ node }) => node.name),
      );
    const isLeftOn = survey.machines.some((machine) => isManaged(machine, cluster.name, group));
    return isLeftOn ? haNode(cluster.name, group, [], []) : [];
  });
}

/** Removals for clusters that leave; of others each machine takes itself out. */
export const describeLeftoverHa = (
  survey: Survey,
  hosts: ProxmoxHost[],
  removalScope: RemovalScope | undefined,
): Graph =>
  removalScope?.areLeftovers
    ? removalScope.clusters.flatMap((cluster) =>
        groupByRealm(hosts, survey)
          .filter((group) => survey.machines.some((machine) => isManaged(machine, cluster, group)))
          .flatMap((group) => haNode(cluster, group, [], [])),
      )
    : [];

const isManaged = (machine: OwnedMachine, cluster: string, group: ProxmoxHost[]): boolean =>
  machine.isHaManaged === true &&
  machine.cluster === cluster &&
  group.some((host) => host.name === machine.host);

export const haStep = (cluster: string, host: string): string => `${cluster}/ha/${host}`;

function haNode(
  cluster: string,
  group: ProxmoxHost[],
  placed: PlacedNode<ProxmoxHost>[],
  machines: string[],
): GraphNode<HaWant>[] {
  const [first] = group;
  if (!first) return [];
  const steps = machines.map((node) => machineStep(cluster, node));
  return [
    {
      id: haStep(cluster, first.name),
      kind: "proxmox/ha",
      name: "high availability",
      want: {
        cluster,
        host: first.name,
        machines: placed.map((each) => ({
          node: each.node.name,
          vmid: vmidOf(each),
          isControlPlane: each.node.role === "control-plane",
        })),
        nodes: [...new Set(group.map((host) => host.proxmox.node))],
      },
      after: steps,
      within: unlessEmpty(steps),
      group: "cluster",
      stage: "machines",
      cluster,
      usualMs,
    },
  ];
}
