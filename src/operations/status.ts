import type { NodeLook, OwnedMachine } from "../plan/index.ts";
import type { Cluster, Fleet, Host, Node } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, hostsOf, readContext } from "./assemble.ts";
import { selectClusters, type Selection } from "./select.ts";

export type NodeState = "Ready" | "Not Ready" | "Silent" | "Stopped" | "Missing";
export type ClusterState = "Ready" | "Degraded" | "Absent";

export interface NodeStatus {
  node: string;
  role: Node["role"];
  state: NodeState;
  address: string;
  host?: string;
  vmid?: number;
  software?: string;
  /** What is worth knowing, e.g. why it is silent. */
  know?: string;
}

export interface ClusterStatus {
  cluster: string;
  state: ClusterState;
  ready: number;
  nodes: NodeStatus[];
  version: string;
  know?: string;
}

/** What is there, as hypervisor, nodes and Kubernetes tell it right now. */
export async function fleetStatus(
  request: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<ClusterStatus[]> {
  const clusters = selectClusters(request.fleet, request.selection);
  const { provider, distribution } = assemble(world);
  const hosts = hostsOf(request.fleet, clusters);
  const survey = await provider.survey(readContext(world), hosts);
  return Promise.all(
    clusters.map(async (cluster) => {
      const machines = new Map(
        survey.machines
          .filter((machine) => machine.cluster === cluster.name)
          .map((machine) => [machine.node, machine]),
      );
      const looks =
        machines.size === 0 ? new Map<string, NodeLook>() : await distribution.look(cluster, world.stop);
      return clusterStatus(
        cluster,
        cluster.nodes.map((node) => nodeStatus(node, machines.get(node.name), looks.get(node.name), hosts)),
      );
    }),
  );
}

function nodeStatus(
  node: Node,
  machine: OwnedMachine | undefined,
  look: NodeLook | undefined,
  hosts: Host[],
): NodeStatus {
  const know = machine ? look?.silence : "no machine carries its mark";
  return {
    node: node.name,
    role: node.role,
    state: stateOf(machine, look),
    address: node.address,
    ...(machine && { host: placeOf(machine, hosts), vmid: machine.vmid }),
    ...(look?.software !== undefined && { software: look.software }),
    ...(know !== undefined && { know }),
  };
}

/** Where somebody has moved it, when that is a place the file does not name. */
const placeOf = (machine: OwnedMachine, hosts: Host[]): string =>
  hosts.find((host) => host.name === machine.host)?.proxmox.node === machine.on ? machine.host : machine.on;

function stateOf(machine: OwnedMachine | undefined, look: NodeLook | undefined): NodeState {
  if (!machine) return "Missing";
  if (!machine.isRunning) return "Stopped";
  if (look?.isReady === true) return "Ready";
  return look?.software === undefined ? "Silent" : "Not Ready";
}

function clusterStatus(cluster: Cluster, nodes: NodeStatus[]): ClusterStatus {
  const ready = nodes.filter((node) => node.state === "Ready").length;
  const worst = nodes.find((node) => node.state !== "Ready");
  const isAbsent = nodes.every((node) => node.state === "Missing");
  return {
    cluster: cluster.name,
    state: isAbsent ? "Absent" : ready === nodes.length ? "Ready" : "Degraded",
    ready,
    nodes,
    version: `Talos ${cluster.distribution.version}  K8s ${cluster.kubernetes}`,
    ...(worst && !isAbsent && { know: `${worst.node} is ${worst.state}` }),
  };
}
