import { unlessEmpty } from "../lib/index.ts";
import type { AddonState, AddonStatus } from "../addons/steps/index.ts";
import { byEnd, endingSoon, lifeText } from "../checks/index.ts";
import type {
  CertificateLives,
  DistributionFacts,
  QuickStatus,
  OwnedMachine,
  UnreachableHost,
  Survey,
} from "../plan/index.ts";
import { nodeNameOf, type Cluster, type Fleet, type Host, type Node, type Role } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { assemble, hostsOf, readContext } from "./planning/assemble.ts";
import { backupStatus, type BackupStatus } from "./backups/backup-status.ts";
import { marksIn } from "./down.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";

export type NodeState = "Ready" | "Not Ready" | "Unreachable" | "Stopped" | "Missing";
export type ClusterState = "Ready" | "Degraded" | "Unreachable" | "Absent" | "Leftover";

export interface NodeStatus {
  node: string;
  role: Role;
  state: NodeState;
  address: string;
  host?: string | undefined;
  vmid?: number | undefined;
  software?: string | undefined;
  /** It takes no new pods. */
  isCordoned?: boolean | undefined;
  /** What is worth knowing, such as why it is unreachable. */
  know?: string | undefined;
}

export interface ClusterStatus {
  cluster: string;
  state: ClusterState;
  ready: number;
  nodes: NodeStatus[];
  version: string;
  /** Absent where the API does not answer, or there is none. */
  addons?: AddonStatus[] | undefined;
  /** Of files, servers and authorities, the first to end first; absent where none can be seen. */
  certificates?: CertificateStatus[] | undefined;
  know?: string | undefined;
  /** Where the file says how old the newest may be. */
  backup?: BackupStatus | undefined;
}

/** How long a certificate lives, and what makes it anew. */
export interface CertificateStatus {
  name: string;
  expires: string;
  daysLeft: number;
  renew: string;
}

interface StatusRequest {
  fleet: Fleet;
  selection: Selection;
}

/** What is there, as hypervisor, nodes and Kubernetes tell it right now. */
export const fleetStatus = async (request: StatusRequest, world: World): Promise<ClusterStatus[]> =>
  (await surveyStatus(request, world)).clusters;

/** The same, with all that the hosts have told. */
export async function surveyStatus(
  request: StatusRequest,
  world: World,
): Promise<{ survey: Survey; clusters: ClusterStatus[] }> {
  const { fleet, selection } = request;
  const { provider, distribution, addons, factsOf } = assemble(world, fleet);
  const isStranger =
    selection.cluster !== undefined && !fleet.clusters.some(({ name }) => name === selection.cluster);
  const clusters = isStranger ? [] : selectClusters(fleet, selection);
  // What left the file may stand on any host of it.
  const hosts = isStranger || selection.cluster === undefined ? fleet.hosts : hostsOf(fleet, clusters);
  const survey = await provider.survey(readContext(world), hosts);
  const leftoverClusters = findLeftoverClusters(survey, fleet).filter(
    ({ cluster }) => selection.cluster === undefined || selection.cluster === cluster,
  );
  // An unknown name that nothing is marked with is a mistake.
  if (isStranger && leftoverClusters.length === 0) selectClusters(fleet, selection);
  const known = await Promise.all(
    clusters.map(async (cluster) => {
      const own = survey.machines.filter((machine) => machine.cluster === cluster.name);
      // Of two that claim to be one node, the one that runs is looked at.
      const machines = new Map(
        own
          .toSorted((a, b) => Number(a.isRunning) - Number(b.isRunning))
          .map((machine) => [machine.node, machine]),
      );
      const unreachable = unreachableFor(cluster, survey.unreachable);
      // Nodes may answer while the host below them does not.
      const isWorthAsking = machines.size > 0 || unreachable.length > 0;
      const quickStatuses = isWorthAsking
        ? await distribution.status(cluster, world.stop)
        : new Map<string, QuickStatus>();
      const isAnswering = [...quickStatuses.values()].some(({ isReady }) => isReady !== undefined);
      const found = isAnswering ? await addons.status(cluster, world.stop) : undefined;
      const lives = isAnswering ? await distribution.certificates?.(cluster, world.stop) : undefined;
      const nodes = await Promise.all(
        cluster.nodes.map(async (node) => ({ ...node, address: await addressNow(node, world) })),
      );
      const backup = machines.size > 0 ? await backupStatus(cluster, world) : undefined;
      const status = clusterStatus(
        cluster,
        nodes.map((node) => {
          const [machine, quick] = [machines.get(node.name), quickStatuses.get(node.name)];
          const [unasked] = machine ? [] : unreachable;
          if (unasked) return unseenNode(node, quick, unasked);
          return withTwins(nodeStatus(node, machine, quick, hosts), own);
        }),
        unreachable,
        keptDiskText(cluster.name, survey),
        versionsOf(factsOf(cluster), [...quickStatuses.values()], machines.size > 0),
        found,
        backup,
      );
      return lives ? withLives(status, lives, world.wall.now()) : status;
    }),
  );
  return { survey, clusters: [...known, ...leftoverClusters] };
}

const dayMs = 86_400_000;

/** What ends soon, and what was left half done, is worth knowing. */
function withLives(
  status: ClusterStatus,
  { certificates, rotations }: CertificateLives,
  now: number,
): ClusterStatus {
  const soon = endingSoon(certificates, now).map((life) => lifeText(life, now));
  const know = [...(status.know === undefined ? [] : [status.know]), ...soon, ...rotations].join(", ");
  const all = byEnd(certificates);
  return {
    ...status,
    know: know || undefined,
    certificates: unlessEmpty(
      all.map(({ name, expiresMs, renew }) => ({
        name,
        expires: new Date(expiresMs).toISOString(),
        daysLeft: Math.floor((expiresMs - now) / dayMs),
        renew,
      })),
    ),
  };
}

const addressNow = ({ address }: Node, world: World): Promise<string> =>
  world.addressOf(address).catch(() => "from DHCP");

function nodeStatus(
  node: Node,
  machine: OwnedMachine | undefined,
  quick: QuickStatus | undefined,
  hosts: Host[],
): NodeStatus {
  const cordoned = quick?.isCordoned === true ? "cordoned: takes no new pods" : undefined;
  const know = machine ? (quick?.unreachableBecause ?? cordoned) : "no machine carries its mark";
  return {
    node: node.name,
    role: node.role,
    state: stateOf(machine, quick),
    address: node.address,
    host: machine && placeOf(machine, hosts),
    vmid: machine?.id,
    software: quick?.software,
    isCordoned: quick?.isCordoned,
    know,
  };
}

function withTwins(status: NodeStatus, machines: OwnedMachine[]): NodeStatus {
  const own = machines
    .filter(({ node }) => node === status.node)
    .toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0));
  if (own.length < 2) return status;
  return {
    ...status,
    know: `two machines: ${own.map(({ id, node, on }) => `${id ?? node} on ${on}`).join(", ")}`,
  };
}

/** Where it was moved by hand, when that is a place the file does not name. */
function placeOf(machine: OwnedMachine, hosts: Host[]): string {
  const host = hosts.find((each) => each.name === machine.host);
  return host && nodeNameOf(host) === machine.on ? machine.host : machine.on;
}

function stateOf(machine: OwnedMachine | undefined, quick: QuickStatus | undefined): NodeState {
  if (!machine) return "Missing";
  if (!machine.isRunning) return "Stopped";
  if (quick?.isReady === true) return "Ready";
  return quick?.software === undefined ? "Unreachable" : "Not Ready";
}

/** States of add-ons that a person should look at. */
const troubles = new Set<AddonState>(["Not Ready", "Incomplete", "Missing"]);

function clusterStatus(
  cluster: Cluster,
  nodes: NodeStatus[],
  unreachable: UnreachableHost[],
  kept: string | undefined,
  version: string,
  addons: AddonStatus[] | undefined,
  backup: BackupStatus | undefined,
): ClusterStatus {
  const ready = nodes.filter((node) => node.state === "Ready").length;
  const worst = nodes.find((node) => node.state !== "Ready");
  const isAbsent = nodes.every((node) => node.state === "Missing");
  const isUnreachable = unreachable.length > 0 && nodes.every((node) => node.state === "Unreachable");
  const faulty = (addons ?? []).filter(({ state }) => troubles.has(state));
  const isWhole = ready === nodes.length && faulty.length === 0;
  const know = [
    ...unreachable.map(unreachableText),
    ...(worst && !isAbsent && !isUnreachable ? [`${worst.node} is ${worst.state}`] : []),
    ...cordonedText(nodes),
    ...faulty.map(({ addon, state }) => `${addon} is ${state}`),
    ...(kept ? [kept] : []),
    ...(backup?.know === undefined ? [] : [backup.know]),
  ];
  return {
    cluster: cluster.name,
    state: isAbsent ? "Absent" : isUnreachable ? "Unreachable" : isWhole ? "Ready" : "Degraded",
    ready,
    nodes,
    version,
    addons: unlessEmpty(addons),
    know: know.join(", ") || undefined,
    backup,
  };
}

function cordonedText(nodes: NodeStatus[]): string[] {
  const [first, ...others] = nodes.filter(({ isCordoned }) => isCordoned === true).map(({ node }) => node);
  if (first === undefined) return [];
  return [others.length === 0 ? `${first} is cordoned` : `${others.length + 1} nodes are cordoned`];
}

/** What the nodes say of themselves, each version once; the file has no say in it. */
function versionsOf(
  { title, kubernetes }: DistributionFacts,
  quickStatuses: QuickStatus[],
  isThere: boolean,
): string {
  if (!isThere && quickStatuses.every(({ release }) => release === undefined)) return "-";
  if (!kubernetes) return title;
  const releases = quickStatuses.flatMap(({ release }) => release?.slice(title.length + 1) ?? []);
  const kubelets = quickStatuses.flatMap((quick) => quick.kubernetes ?? []);
  const own = `${title} ${asText(releases)}`;
  return kubernetes.isVersionShared ? own : `${own}  K8s ${asText(kubelets)}`;
}

const asText = (versions: string[]): string => [...new Set(versions)].toSorted().join(", ") || "unknown";

/** Its machine may stand on a host that cannot be asked; what the node itself says still counts. */
const unseenNode = (
  node: Node,
  quick: QuickStatus | undefined,
  unreachable: UnreachableHost,
): NodeStatus => ({
  node: node.name,
  role: node.role,
  state: quick?.isReady === true ? "Ready" : quick?.software === undefined ? "Unreachable" : "Not Ready",
  address: node.address,
  software: quick?.software,
  know: unreachableText(unreachable),
});

const unreachableText = ({ host, error }: UnreachableHost): string =>
  `host ${host} cannot be asked: ${error.why}`;

/** The hosts of a cluster that did not answer. */
const unreachableFor = (cluster: Cluster, unreachable: UnreachableHost[]): UnreachableHost[] =>
  unreachable.filter((each) => cluster.on.includes(each.host));

/** Clusters that are not in the file while something on its hosts still carries their mark. */
const findLeftoverClusters = (survey: Survey, { clusters }: Fleet): ClusterStatus[] =>
  [...marksIn(survey)]
    .filter((name) => !clusters.some((cluster) => cluster.name === name))
    .toSorted()
    .map((name) => leftoverCluster(name, survey));

function leftoverCluster(name: string, survey: Survey): ClusterStatus {
  const machines = survey.machines.filter((machine) => machine.cluster === name);
  const disks = keptDiskText(name, survey);
  return {
    cluster: name,
    state: "Leftover",
    ready: 0,
    nodes: machines.map((machine): NodeStatus => ({
      node: machine.node,
      role: machine.role,
      state: machine.isRunning ? "Unreachable" : "Stopped",
      address: "",
      host: machine.host,
      vmid: machine.id,
      know: "not in the file",
    })),
    version: "",
    // Short, so that the table has room for it.
    know: `not in the file${disks === undefined ? "" : `, ${disks}`}`,
  };
}

/** `2 data disks kept`; undefined when none is. */
function keptDiskText(cluster: string, survey: Survey): string | undefined {
  const { length } = survey.keptDisks.filter((disk) => disk.cluster === cluster);
  if (length === 0) return undefined;
  return length === 1 ? "1 data disk kept" : `${length} data disks kept`;
}
