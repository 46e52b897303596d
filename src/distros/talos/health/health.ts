import { errorData, SlipwayError } from "../../../errors/index.ts";
import { findingOfNodes, type Check, type Finding, type NodeFaults } from "../../../plan/index.ts";
import { hasKnownAddress, type Cluster, type Node, talosOf } from "../../../spec/index.ts";
import {
  addressesWrong,
  apiNotHealthy,
  etcdAlarmed,
  etcdNotHealthy,
  nodesUnreachable,
  vipUnheld,
} from "./health-errors.ts";
import type { TalosAccess } from "../talos-access.ts";
import type { TalosClient } from "../../../clients/talos/index.ts";
import type { Limits } from "../../../lib/index.ts";
import { answerWithin, askNodes } from "../../kubernetes/index.ts";
import { askEtcdStatus } from "../steps/etcd-status.ts";

/** What a healthy Talos cluster shows from outside, from its nodes up to the API. Each node is asked once for all of it. */
export function talosHealth(access: TalosAccess, cluster: Cluster): Check[] {
  let asked: Promise<Map<string, TalosAnswer>> | undefined;
  const answers = (signal: AbortSignal) => (asked ??= inspectClosely(access, cluster, signal));
  const { vip } = cluster.network;
  return [
    {
      id: "talos-answers",
      title: "Talos answers",
      failing: "Talos does not answer",
      run: async ({ signal }) => talosAnswers(cluster, await answers(signal)),
    },
    {
      id: "addresses",
      title: vip === undefined ? "Addresses" : "Addresses and VIP",
      run: async ({ signal }) => addressesHeld(cluster, await answers(signal)),
    },
    {
      id: "etcd-healthy",
      title: "etcd healthy",
      failing: "etcd not healthy",
      run: async ({ signal }) => etcdHealthy(cluster, await answers(signal)),
    },
    {
      id: "kubernetes-api",
      title: vip === undefined ? "Kubernetes API" : "Kubernetes API through the VIP",
      run: async ({ signal }) => apiAnswers(access, cluster, await answers(signal), signal),
    },
  ];
}

const unreachable = "does not answer";
const hasAnswered = (answer: TalosAnswer | undefined): answer is TalosNodeStatus =>
  answer !== undefined && "version" in answer;

/** What is wrong with each node, as far as anything is. */
const faultsOf = (nodes: Node[], fault: (node: Node) => string | undefined): NodeFaults =>
  Object.fromEntries(
    nodes.flatMap((node) => {
      const why = fault(node);
      return why === undefined ? [] : [[node.name, why]];
    }),
  );

function talosAnswers(cluster: Cluster, answers: Map<string, TalosAnswer>): Finding {
  const { version } = talosOf(cluster);
  const faults = faultsOf(cluster.nodes, ({ name }) => {
    const answer = answers.get(name);
    if (!hasAnswered(answer)) return `${unreachable}: ${answer?.unreachableBecause ?? "not asked"}`;
    return answer.version === version ? undefined : `runs Talos ${answer.version}`;
  });
  return findingOfNodes(
    { all: cluster.nodes.length, needed: `Talos ${version} on every node`, faults, good: `Talos ${version}` },
    (why) => nodesUnreachable({ cluster: cluster.name, why, first: Object.keys(faults)[0] ?? "" }),
  );
}

/** Every node holds its own address, and one of them the shared one. */
function addressesHeld(cluster: Cluster, answers: Map<string, TalosAnswer>): Finding {
  const { vip } = cluster.network;
  const faults = faultsOf(cluster.nodes, ({ name, address }) => {
    const answer = answers.get(name);
    if (!hasAnswered(answer)) return unreachable;
    if ("unreachableBecause" in answer.addresses)
      return `does not tell its addresses: ${answer.addresses.unreachableBecause}`;
    // One that DHCP gives is the one it was asked at.
    const isHeld = !hasKnownAddress({ address }) || answer.addresses.includes(address);
    return isHeld ? undefined : `does not hold ${address}`;
  });
  const holder = vip === undefined ? undefined : holderOf(vip, answers);
  const all = cluster.nodes.length + (vip === undefined ? 0 : 1);
  const needed = `every address of the file${vip === undefined ? "" : `, and a node that holds ${vip}`}`;
  if (vip !== undefined && holder === undefined) {
    const good = all - 1 - Object.keys(faults).length;
    const error = errorData(vipUnheld({ cluster: cluster.name, vip }));
    return { status: "failed", needed, found: `${good} of ${all}: no node holds ${vip}`, error };
  }
  const good = vip === undefined ? undefined : `${vip} on ${holder ?? ""}`;
  return findingOfNodes({ all, needed, faults, good }, (why) =>
    addressesWrong({ cluster: cluster.name, why, first: Object.keys(faults)[0] ?? "" }),
  );
}

const holderOf = (vip: string, answers: Map<string, TalosAnswer>): string | undefined =>
  [...answers].find(([, answer]) => addressesOf(answer).includes(vip))?.[0];

const addressesOf = (answer: TalosAnswer): string[] =>
  hasAnswered(answer) && Array.isArray(answer.addresses) ? answer.addresses : [];

/** All members vote and no alarm stands. While most of them answer, the cluster goes on without the rest. */
function etcdHealthy(cluster: Cluster, answers: Map<string, TalosAnswer>): Finding {
  const { name } = cluster;
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const wanted = controlPlanes.length;
  const needed = `${wanted} voting members on each control plane, no alarm`;
  const alarms = new Set([...answers.values()].flatMap(alarmsOf));
  if (alarms.size > 0) {
    const words = [...alarms].join(", ");
    return {
      ...{ status: "failed", needed, found: `alarm: ${words}` },
      error: errorData(etcdAlarmed({ cluster: name, alarms: words })),
    };
  }
  const faults = faultsOf(controlPlanes, (node) => {
    const answer = answers.get(node.name);
    if (!hasAnswered(answer)) return unreachable;
    if (!answer.etcd || "unreachableBecause" in answer.etcd)
      return etcdFault(answer.etcd?.unreachableBecause);
    const { voters } = answer.etcd;
    return voters === wanted ? undefined : `knows ${voters} voting members`;
  });
  const finding = findingOfNodes({ all: wanted, needed, faults, good: "no alarm" }, (why) =>
    etcdNotHealthy({ cluster: name, why }),
  );
  const bad = Object.values(faults);
  const hasQuorum = (wanted - bad.length) * 2 > wanted;
  if (bad.length === 0 || !hasQuorum || !bad.every((why) => why === unreachable)) return finding;
  const { error: _error, ...rest } = finding;
  return { ...rest, status: "warned", found: `${finding.found ?? ""}, quorum holds` };
}

/** In its own words when it does not run, else why it was not heard. */
const etcdFault = (why = "not asked"): string => (why.startsWith("etcd ") ? `says: ${why}` : `etcd: ${why}`);

const alarmsOf = (answer: TalosAnswer): string[] =>
  hasAnswered(answer) && answer.etcd && "alarms" in answer.etcd ? answer.etcd.alarms : [];

async function apiAnswers(
  access: TalosAccess,
  cluster: Cluster,
  answers: Map<string, TalosAnswer>,
  signal: AbortSignal,
): Promise<Finding> {
  const { endpoint, name } = cluster;
  const { vip } = cluster.network;
  const needed = `${endpoint} ready`;
  const failed = (why: string): Finding => ({
    ...{ status: "failed", needed, found: why },
    error: errorData(apiNotHealthy({ cluster: name, endpoint, why })),
  });
  try {
    const kube = await access.kube(name, endpoint);
    if (!(await kube.isReady(signal))) return failed(`${endpoint} answers and says that it is not ready`);
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return failed(thrown.why);
    throw thrown;
  }
  const holder = vip === undefined ? undefined : holderOf(vip, answers);
  return { status: "ok", needed, found: holder === undefined ? `${endpoint} ready` : `held by ${holder}` };
}

/** A node that is well answers at once; this long each of its answers may take under load. */
const patienceMs = 5_000;

interface Unreachable {
  unreachableBecause: string;
}

/** What a node tells of itself that matters for its health. */
interface TalosNodeStatus {
  version: string;
  addresses: string[] | Unreachable;
  /** Only of control planes. */
  etcd?: { voters: number; alarms: string[] } | Unreachable | undefined;
}

/** What a node showed, or why there is none. */
type TalosAnswer = TalosNodeStatus | Unreachable;

/** Asks every node once for everything. A silent one is waited for once. */
const inspectClosely = (
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, TalosAnswer>> =>
  askNodes(cluster.nodes, (node) => lookAt(access, cluster, node, signal));

async function lookAt(
  access: TalosAccess,
  cluster: Cluster,
  node: Node,
  signal: AbortSignal,
): Promise<TalosAnswer> {
  try {
    return await access.using(cluster.name, node.address, (client) =>
      statusOf(client, node, { clock: access.world.clock, signal }),
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return { unreachableBecause: thrown.why };
    throw thrown;
  }
}

/** Each question has its own time: one that is not answered takes nothing from the others. */
async function statusOf(client: TalosClient, node: Node, limits: Limits): Promise<TalosAnswer> {
  const [version, addresses, etcd] = await Promise.all([
    orUnreachable(limits, (limit) => client.version({ signal: limit })),
    orUnreachable(limits, async (limit) =>
      (await client.addresses({ signal: limit })).map(({ cidr }) => cidr.split("/")[0] ?? ""),
    ),
    node.role === "control-plane" ? orUnreachable(limits, (limit) => etcdOf(client, limit)) : undefined,
  ]);
  if ("unreachableBecause" in version) return version;
  return { version: version.version, addresses, etcd };
}

async function etcdOf(client: TalosClient, signal: AbortSignal) {
  const look = await askEtcdStatus(client, { signal, readsLog: true });
  if (look?.state !== "Running") return { unreachableBecause: look?.words ?? "etcd has not started" };
  const [members, alarms] = await Promise.all([
    client.etcdMembers({ signal }),
    client.etcdAlarms({ signal }),
  ]);
  return {
    voters: members.filter((member) => !member.isLearner).length,
    alarms: [...new Set(alarms.map(({ alarm }) => alarm))].filter((alarm) => alarm !== "none"),
  };
}

async function orUnreachable<T>(
  limits: Limits,
  ask: (limit: AbortSignal) => Promise<T>,
): Promise<T | Unreachable> {
  const answer = await answerWithin(patienceMs, limits, ask);
  return "value" in answer ? answer.value : { unreachableBecause: answer.why };
}
