import type { TalosClient, TalosService } from "../../../clients/talos/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { NodeExam } from "../../../plan/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import { explainEtcd } from "./etcd-look.ts";
import type { TalosAccess } from "./talos-access.ts";

/** Each question has this long. What was not said by then is not known; what was said counts all the same. */
const patienceMs = 4_000;

/** What every node says of itself: its system, its addresses, its clock, its part of etcd. */
export async function examineNodes(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, NodeExam>> {
  const exams = cluster.nodes.map(async (node): Promise<[string, NodeExam]> => [
    node.name,
    await examineNode(access, cluster, node, signal),
  ]);
  return new Map(await Promise.all(exams));
}

const silentNode = ({ name }: Node, silence: string): NodeExam => ({
  node: name,
  state: "silent",
  silence,
  complaints: [],
  addresses: [],
});

async function examineNode(
  access: TalosAccess,
  cluster: Cluster,
  node: Node,
  signal: AbortSignal,
): Promise<NodeExam> {
  const seen = await settle(signal, (limit) => access.probe(cluster.name, node.address, limit));
  if ("why" in seen) return silentNode(node, seen.why);
  const probe = seen.value;
  const nothing = { node: node.name, complaints: [], addresses: [] };
  if (probe.state === "silent") return silentNode(node, probe.reason);
  if (probe.state === "maintenance") return { ...nothing, state: "unconfigured" };
  if (probe.state === "other-cluster") return { ...nothing, state: "foreign" };
  try {
    return await access.using(cluster.name, node.address, (client) => askNode(client, node, signal));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return silentNode(node, thrown.why);
  }
}

async function askNode(client: TalosClient, node: Node, signal: AbortSignal): Promise<NodeExam> {
  const [services, status, addresses, time] = await Promise.all([
    settle(signal, (limit) => client.services({ signal: limit })),
    settle(signal, (limit) => client.machineStatus({ signal: limit })),
    settle(signal, (limit) => client.addresses({ signal: limit })),
    settle(signal, (limit) => client.time({ signal: limit })),
  ]);
  if ("why" in services && "why" in status) return silentNode(node, services.why);
  const running = "value" in services ? services.value : [];
  const etcd = node.role === "control-plane" ? await askEtcd(client, running, signal) : undefined;
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
      : { clockSilence: time.why }),
    ...(etcd && { database: etcd.database }),
  };
}

interface EtcdExam {
  database: NonNullable<NodeExam["database"]>;
  /** Why it does not start, where the node tells. */
  trouble?: string;
}

/** An etcd that does not run is not asked: the node would keep its answer back. */
async function askEtcd(
  client: TalosClient,
  services: TalosService[],
  signal: AbortSignal,
): Promise<EtcdExam> {
  const service = services.find(({ id }) => id === "etcd");
  if (service !== undefined && service.state !== "Running") {
    const { words, imageTrouble } = await explainEtcd(client, service, { signal, readsLog: true });
    const isWaiting = service.state === "Preparing" && imageTrouble === undefined;
    return {
      database: { members: [], alarms: [], silence: words, ...(isWaiting && { isWaiting }) },
      ...(imageTrouble !== undefined && service.state === "Preparing" && { trouble: imageTrouble }),
    };
  }
  const [members, alarms] = await Promise.all([
    settle(signal, (limit) => client.etcdMembers({ signal: limit })),
    settle(signal, (limit) => client.etcdAlarms({ signal: limit })),
  ]);
  if ("why" in members) return { database: { members: [], alarms: [], silence: members.why } };
  return {
    database: {
      members: members.value.map(({ hostname }) => hostname),
      alarms: "value" in alarms ? [...new Set(alarms.value.map(({ alarm }) => alarm))] : [],
      ...("why" in alarms && { alarmSilence: alarms.why }),
    },
  };
}

/** Services that have failed or say that they are ill; those that wait for others are no cause of anything. */
const serviceComplaints = (services: TalosService[]): NodeExam["complaints"] =>
  services
    .filter(({ state, isHealthy }) => state === "Failed" || isHealthy === false)
    .map(({ id, state, lastMessage, lastEvent }) => ({
      part: id,
      why: lastMessage || lastEvent || `is ${state}`,
    }));

type Settled<T> = { value: T } | { why: string };

async function settle<T>(signal: AbortSignal, ask: (limit: AbortSignal) => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await limitTime(patienceMs, `no answer within ${patienceMs / 1000}s`, signal, ask) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { why: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}
