import type { AddonState, AddonStatus } from "../addons/index.ts";
import type { NodeLook, OwnedMachine, SilentHost } from "../plan/index.ts";
import { nodeNameOf, type Cluster, type Fleet, type Host, type Node } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, hostsOf, readContext } from "./assemble.ts";
import { findOrphans, keptDiskWords } from "./orphans.ts";
import { selectClusters, type Selection } from "./select.ts";
import { silenceWords, silentFor, unseenNode } from "./unseen-node.ts";

export type NodeState = "Ready" | "Not Ready" | "Silent" | "Stopped" | "Missing";
export type ClusterState = "Ready" | "Degraded" | "Silent" | "Absent" | "Orphaned";

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
  /** Absent where the API does not answer, or there is none. */
  addons?: AddonStatus[];
  know?: string;
}

/** What is there, as hypervisor, nodes and Kubernetes tell it right now. */
export async function fleetStatus(
  request: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<ClusterStatus[]> {
  const { fleet, selection } = request;
  const { provider, distribution, addons } = assemble(world);
  const isStranger =
    selection.cluster !== undefined && !fleet.clusters.some(({ name }) => name === selection.cluster);
  const clusters = isStranger ? [] : selectClusters(fleet, selection);
  // What left the file may stand on any host of it.
  const hosts = isStranger || selection.cluster === undefined ? fleet.hosts : hostsOf(fleet, clusters);
  const survey = await provider.survey(readContext(world), hosts);
  const orphans = findOrphans(survey, fleet).filter(
    ({ cluster }) => selection.cluster === undefined || selection.cluster === cluster,
  );
  // An unknown name that nothing is marked with is a mistake.
  if (isStranger && orphans.length === 0) selectClusters(fleet, selection);
  const known = await Promise.all(
    clusters.map(async (cluster) => {
      const own = survey.machines.filter((machine) => machine.cluster === cluster.name);
      // Of two that claim to be one node, the one that runs is looked at.
      const machines = new Map(
        own
          .toSorted((a, b) => Number(a.isRunning) - Number(b.isRunning))
          .map((machine) => [machine.node, machine]),
      );
      const silent = silentFor(cluster, survey.silent);
      // Nodes may answer while the host below them does not.
      const isWorthALook = machines.size > 0 || silent.length > 0;
      const looks = isWorthALook ? await distribution.look(cluster, world.stop) : new Map<string, NodeLook>();
      const isAnswering = [...looks.values()].some(({ isReady }) => isReady !== undefined);
      const found = isAnswering ? await addons.status(cluster, world.stop) : undefined;
      const nodes = await Promise.all(
        cluster.nodes.map(async (node) => ({ ...node, address: await addressNow(node, world) })),
      );
      return clusterStatus(
        cluster,
        nodes.map((node) => {
          const [machine, look] = [machines.get(node.name), looks.get(node.name)];
          const [unasked] = machine ? [] : silent;
          if (unasked) return unseenNode(node, look, unasked);
          return withTwins(nodeStatus(node, machine, look, hosts), own);
        }),
        silent,
        keptDiskWords(cluster.name, survey),
        versionsOf(cluster, [...looks.values()], machines.size > 0),
        found,
      );
    }),
  );
  return [...known, ...orphans];
}

const addressNow = ({ address }: Node, world: World): Promise<string> =>
  world.addressOf(address).catch(() => "from DHCP");

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

function withTwins(status: NodeStatus, machines: OwnedMachine[]): NodeStatus {
  const own = machines.filter(({ node }) => node === status.node).toSorted((a, b) => a.vmid - b.vmid);
  if (own.length < 2) return status;
  return { ...status, know: `two machines: ${own.map(({ vmid, on }) => `${vmid} on ${on}`).join(", ")}` };
}

/** Where somebody has moved it, when that is a place the file does not name. */
function placeOf(machine: OwnedMachine, hosts: Host[]): string {
  const host = hosts.find((each) => each.name === machine.host);
  return host && nodeNameOf(host) === machine.on ? machine.host : machine.on;
}

function stateOf(machine: OwnedMachine | undefined, look: NodeLook | undefined): NodeState {
  if (!machine) return "Missing";
  if (!machine.isRunning) return "Stopped";
  if (look?.isReady === true) return "Ready";
  return look?.software === undefined ? "Silent" : "Not Ready";
}

/** States of add-ons that a person should look at. */
const troubles = new Set<AddonState>(["Not Ready", "Half made", "Missing"]);

function clusterStatus(
  cluster: Cluster,
  nodes: NodeStatus[],
  silent: SilentHost[],
  kept: string | undefined,
  version: string,
  addons: AddonStatus[] | undefined,
): ClusterStatus {
  const ready = nodes.filter((node) => node.state === "Ready").length;
  const worst = nodes.find((node) => node.state !== "Ready");
  const isAbsent = nodes.every((node) => node.state === "Missing");
  const isSilent = silent.length > 0 && nodes.every((node) => node.state === "Silent");
  const faulty = (addons ?? []).filter(({ state }) => troubles.has(state));
  const isWhole = ready === nodes.length && faulty.length === 0;
  const know = [
    ...silent.map(silenceWords),
    ...(worst && !isAbsent && !isSilent ? [`${worst.node} is ${worst.state}`] : []),
    ...faulty.map(({ addon, state }) => `${addon} is ${state}`),
    ...(kept ? [kept] : []),
  ];
  return {
    cluster: cluster.name,
    state: isAbsent ? "Absent" : isSilent ? "Silent" : isWhole ? "Ready" : "Degraded",
    ready,
    nodes,
    version,
    ...(addons && addons.length > 0 && { addons }),
    ...(know.length > 0 && { know: know.join(", ") }),
  };
}

/** What the nodes say of themselves, each version once; the file has no say in it. */
function versionsOf({ distribution }: Cluster, looks: NodeLook[], isThere: boolean): string {
  const names = { talos: "Talos", k3s: "K3s", linux: "Linux" } as const;
  const name = names[distribution.kind];
  if (!isThere && looks.every(({ release }) => release === undefined)) return "-";
  if (distribution.kind === "linux") return name;
  const releases = looks.flatMap(({ release }) => release?.slice(name.length + 1) ?? []);
  const kubelets = looks.flatMap(({ kubernetes }) => kubernetes ?? []);
  const own = `${name} ${inWords(releases)}`;
  return distribution.kind === "talos" ? `${own}  K8s ${inWords(kubelets)}` : own;
}

const inWords = (versions: string[]): string => [...new Set(versions)].toSorted().join(", ") || "unknown";
