import { unlessEmpty } from "../lib/index.ts";
import type { AddonState, AddonStatus } from "../addons/steps/index.ts";
import { byEnd, endingSoon, lifeText } from "../checks/index.ts";
import type {
  CertificateLives,
  DistributionFacts,
  QuickStatus,
  Outline,
  OwnedMachine,
  UnreachableHost,
  Survey,
} from "../plan/index.ts";
import { nodeNameOf, type Cluster, type Fleet, type Host, type Node } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { assemble, hostsOf, readContext, type Parts } from "./planning/assemble.ts";
import { backupStatus, type BackupStatus } from "./backups/backup-status.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";
import type { ClusterStatus, ClusterVersions, NodeState, NodeStatus } from "./status/cluster-status.ts";
import { differenceText, findDifferences, type Differences } from "./status/differences.ts";
import { findLeftoverClusters, keptDiskText } from "./status/leftover-clusters.ts";
import { measureUsage, type NodeUsage } from "./status/usage.ts";

interface StatusRequest {
  fleet: Fleet;
  selection: Selection;
}

/** What is there, as hypervisor, nodes and Kubernetes tell it right now. */
export const fleetStatus = async (request: StatusRequest, world: World): Promise<ClusterStatus[]> =>
  (await surveyStatus(request, world)).clusters;

/** What is on these hosts alone: nodes are not asked. */
export const surveyHosts = (fleet: Fleet, hosts: Host[], world: World): Promise<Survey> =>
  assemble(world, fleet).provider.survey(readContext(world), hosts);

/** The same as far as lists of the hosts tell it. */
export const outlineHosts = (fleet: Fleet, world: World): Promise<Outline> =>
  assemble(world, fleet).provider.outline(readContext(world), fleet.hosts);

/** The same, with all that the hosts have told. */
export async function surveyStatus(
  request: StatusRequest,
  world: World,
): Promise<{ survey: Survey; clusters: ClusterStatus[] }> {
  const { fleet, selection } = request;
  const parts = assemble(world, fleet);
  const { provider } = parts;
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
    clusters.map((cluster) => statusOf(cluster, { fleet, hosts, survey, parts }, world)),
  );
  return { survey, clusters: [...known, ...leftoverClusters] };
}

/** What was asked of the hosts, and by whom nodes are asked. */
interface Surveyed {
  fleet: Fleet;
  hosts: Host[];
  survey: Survey;
  parts: Parts;
}

/** One cluster: its machines as they were found, its nodes as they answer now. */
async function statusOf(cluster: Cluster, surveyed: Surveyed, world: World): Promise<ClusterStatus> {
  const { fleet, hosts, survey, parts } = surveyed;
  const { distribution, addons, factsOf } = parts;
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
  const [quickStatuses, usage] = await Promise.all([
    isWorthAsking ? distribution.status(cluster, world.stop) : new Map<string, QuickStatus>(),
    measureUsage(parts, [...machines.values()], survey, world),
  ]);
  const isAnswering = [...quickStatuses.values()].some(({ isReady }) => isReady !== undefined);
  const ready = new Set(
    [...machines.values()]
      .filter(({ node, isRunning }) => isRunning && quickStatuses.get(node)?.isReady === true)
      .map(({ node }) => node),
  );
  const [found, lives, differences, nodes] = await Promise.all([
    isAnswering ? addons.status(cluster, world.stop) : undefined,
    isAnswering ? distribution.certificates?.(cluster, world.stop) : undefined,
    findDifferences(fleet, cluster, ready, survey, parts, world),
    Promise.all(cluster.nodes.map(async (node) => ({ ...node, address: await addressNow(node, world) }))),
  ]);
  const backup = machines.size > 0 ? await backupStatus(cluster, world) : undefined;
  const status = clusterStatus(
    cluster,
    nodes.map((node) => {
      const { name } = node;
      const [machine, quick] = [machines.get(name), quickStatuses.get(name)];
      const [unasked] = machine ? [] : unreachable;
      if (unasked) return unseenNode(node, quick, unasked);
      const differs = "byNode" in differences ? differences.byNode.get(name) : undefined;
      const known = { machine, quick, differs, usage: usage.get(name) };
      return withTwins(nodeStatus(node, known, hosts), own);
    }),
    unreachable,
    keptDiskText(cluster.name, survey),
    versionsOf(factsOf(cluster), [...quickStatuses.values()], machines.size > 0),
    found,
    backup,
    differences,
  );
  return lives ? withLives(status, lives, world.wall.now()) : status;
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

/** What is known of a node, each from its own source. */
interface NodeFindings {
  machine: OwnedMachine | undefined;
  quick: QuickStatus | undefined;
  differs: NodeStatus["differs"];
  usage: NodeUsage | undefined;
}

function nodeStatus(node: Node, { machine, quick, differs, usage }: NodeFindings, hosts: Host[]): NodeStatus {
  const seen = [
    ...(quick?.isCordoned === true ? ["cordoned: takes no new pods"] : []),
    ...(differs ? [differenceText(differs)] : []),
  ];
  const know = machine ? (quick?.unreachableBecause ?? seen.join("; ")) : "no machine carries its mark";
  return {
    node: node.name,
    role: node.role,
    state: stateOf(machine, quick),
    address: node.address,
    host: machine && placeOf(machine, hosts),
    vmid: machine?.id,
    ...versionsIn(quick),
    isCordoned: quick?.isCordoned,
    differs,
    usage,
    know: know || undefined,
  };
}

const versionsIn = (quick: QuickStatus | undefined): Partial<NodeStatus> => ({
  software: quick?.software,
  release: quick?.release,
  kubernetes: quick?.kubernetes,
});

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
  versions: Pick<ClusterStatus, "version" | "versions">,
  addons: AddonStatus[] | undefined,
  backup: BackupStatus | undefined,
  differences: Differences,
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
    ...differingText(nodes, differences),
    ...faulty.map(({ addon, state }) => `${addon} is ${state}`),
    ...(kept ? [kept] : []),
    ...(backup?.know === undefined ? [] : [backup.know]),
  ];
  return {
    cluster: cluster.name,
    state: isAbsent ? "Absent" : isUnreachable ? "Unreachable" : isWhole ? "Ready" : "Degraded",
    ready,
    nodes,
    ...versions,
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

function differingText(nodes: NodeStatus[], differences: Differences): string[] {
  if ("unknownBecause" in differences) return [`not compared with the file: ${differences.unknownBecause}`];
  const [first, ...others] = nodes.filter(({ differs }) => differs).map(({ node }) => node);
  if (first === undefined) return [];
  return [
    others.length === 0
      ? `${first} differs from the file`
      : `${others.length + 1} nodes differ from the file`,
  ];
}

/** What the nodes say of themselves, each version once; the file has no say in it. */
function versionsOf(
  { title, kubernetes }: DistributionFacts,
  quickStatuses: QuickStatus[],
  isThere: boolean,
): { version: string; versions?: ClusterVersions } {
  const isSaid = quickStatuses.some(({ release }) => release !== undefined);
  if (!isThere && !isSaid) return { version: "-" };
  if (!kubernetes) return { version: title };
  const releases = eachOnce(quickStatuses.flatMap(({ release }) => release?.slice(title.length + 1) ?? []));
  const kubelets = eachOnce(quickStatuses.flatMap((quick) => quick.kubernetes ?? []));
  const own = `${title} ${asText(releases)}`;
  return {
    version: kubernetes.isVersionShared ? own : `${own}  K8s ${asText(kubelets)}`,
    ...(isSaid && { versions: { distribution: title, releases, kubernetes: kubelets } }),
  };
}

const eachOnce = (versions: string[]): string[] => [...new Set(versions)].toSorted();
const asText = (versions: string[]): string => versions.join(", ") || "unknown";

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
  ...versionsIn(quick),
  know: unreachableText(unreachable),
});

const unreachableText = ({ host, error }: UnreachableHost): string =>
  `host ${host} cannot be asked: ${error.why}`;

/** The hosts of a cluster that did not answer. */
const unreachableFor = (cluster: Cluster, unreachable: UnreachableHost[]): UnreachableHost[] =>
  unreachable.filter((each) => cluster.on.includes(each.host));
