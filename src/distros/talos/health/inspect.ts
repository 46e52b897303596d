import type { TalosClient, TalosService } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { Limits } from "../../../lib/index.ts";
import type { DatabaseInspection, NodeInspection } from "../../../plan/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import { answerWithin, askNodes, type Answer } from "../../kubernetes/index.ts";
import { explainEtcd } from "../steps/etcd-status.ts";
import type { TalosAccess } from "../talos-access.ts";

/** Each question has this long. What was not said by then is not known; what was said counts all the same. */
const patienceMs = 4_000;
const settle = <T>(limits: Limits, ask: (limit: AbortSignal) => Promise<T>): Promise<Answer<T>> =>
  answerWithin(patienceMs, limits, ask);

/** What every node says of itself: its system, its addresses, its clock, its part of etcd. */
export const inspectNodes = (
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, NodeInspection>> =>
  askNodes(cluster.nodes, (node) => inspectNode(access, cluster, node, signal));

const unreachableNode = ({ name }: Node, unreachableBecause: string): NodeInspection => ({
  node: name,
  state: "unreachable",
  unreachableBecause,
  complaints: [],
  addresses: [],
});

async function inspectNode(
  access: TalosAccess,
  cluster: Cluster,
  node: Node,
  signal: AbortSignal,
): Promise<NodeInspection> {
  const limits = { clock: access.world.clock, signal };
  const seen = await settle(limits, (limit) => access.probe(cluster.name, node.address, limit));
  if ("why" in seen) return unreachableNode(node, seen.why);
  const probe = seen.value;
  const nothing = { node: node.name, complaints: [], addresses: [] };
  if (probe.state === "unreachable") return unreachableNode(node, probe.reason);
  if (probe.state === "maintenance") return { ...nothing, state: "unconfigured" };
  if (probe.state === "other-cluster") return { ...nothing, state: "foreign" };
  try {
    return await access.using(cluster.name, node.address, (client) => askNode(client, node, limits));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return unreachableNode(node, thrown.why);
  }
}

async function askNode(client: TalosClient, node: Node, limits: Limits): Promise<NodeInspection> {
  const [services, status, addresses, time] = await Promise.all([
    settle(limits, (limit) => client.services({ signal: limit })),
    settle(limits, (limit) => client.machineStatus({ signal: limit })),
    settle(limits, (limit) => client.addresses({ signal: limit })),
    settle(limits, (limit) => client.time({ signal: limit })),
  ]);
  if ("why" in services && "why" in status) return unreachableNode(node, services.why);
  const running = "value" in services ? services.value : [];
  const etcd = node.role === "control-plane" ? await askEtcd(client, running, limits) : undefined;
  return {
    node: node.name,
    state: "ours",
    complaints: [
      ...serviceComplaints(running),
      ...(etcd?.trouble === undefined ? [] : [{ part: "etcd", why: etcd.trouble }]),
      ...("value" in status ? (status.value?.unmet ?? []) : []).map(({ name, reason }) => ({
        part: name,
        why: reason,
      })),
    ],
    addresses: "value" in addresses ? addresses.value.map(({ cidr }) => cidr.split("/")[0] ?? cidr) : [],
    ...("value" in time
      ? { clockAheadMs: time.value.localMs - time.value.remoteMs }
      : { clockUnknownBecause: time.why }),
    database: etcd?.database,
  };
}

interface EtcdInspection {
  database: DatabaseInspection;
  /** Why it does not start, where the node tells. */
  trouble?: string | undefined;
}

/** An etcd that does not run is not asked: the node would keep its answer back. */
async function askEtcd(
  client: TalosClient,
  services: TalosService[],
  limits: Limits,
): Promise<EtcdInspection> {
  const service = services.find(({ id }) => id === "etcd");
  if (service !== undefined && service.state !== "Running") {
    const { words, imageTrouble } = await explainEtcd(client, service, {
      signal: limits.signal,
      readsLog: true,
    });
    const isWaiting = service.state === "Preparing" && imageTrouble === undefined;
    return {
      database: { members: [], alarms: [], unreachableBecause: words, isWaiting: isWaiting || undefined },
      trouble: service.state === "Preparing" ? imageTrouble : undefined,
    };
  }
  const [members, alarms] = await Promise.all([
    settle(limits, (limit) => client.etcdMembers({ signal: limit })),
    settle(limits, (limit) => client.etcdAlarms({ signal: limit })),
  ]);
  if ("why" in members) return { database: { members: [], alarms: [], unreachableBecause: members.why } };
  return {
    database: {
      members: members.value.map(({ hostname }) => hostname),
      alarms: "value" in alarms ? [...new Set(alarms.value.map(({ alarm }) => alarm))] : [],
      alarmsUnknownBecause: "why" in alarms ? alarms.why : undefined,
    },
  };
}

/** Services that have failed or say that they are ill; those that wait for others are no cause of anything. */
const serviceComplaints = (services: TalosService[]): NodeInspection["complaints"] =>
  services
    .filter(({ state, isHealthy }) => state === "Failed" || isHealthy === false)
    .map(({ id, state, lastMessage, lastEvent }) => ({
      part: id,
      why: lastMessage || lastEvent || `is ${state}`,
    }));
