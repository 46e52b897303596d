import type { TalosClient, TalosService } from "../../../clients/talos/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { NodeExam } from "../../../plan/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** Each node has this long; what it has not said by then is not known. */
const patienceMs = 4_000;

/** What every node says of itself: its system, its addresses, its clock, its part of etcd. */
export async function examineNodes(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, NodeExam>> {
  const exams = cluster.nodes.map(async (node): Promise<[string, NodeExam]> => {
    const late = `no answer within ${patienceMs / 1000}s`;
    const exam = await settle(
      limitTime(patienceMs, late, signal, (limit) => examineNode(access, cluster, node, limit)),
    );
    return [node.name, "value" in exam ? exam.value : silentNode(node, exam.why)];
  });
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
  const probe = await access.probe(cluster.name, node.address, signal);
  const nothing = { node: node.name, complaints: [], addresses: [] };
  if (probe.state === "silent") return silentNode(node, probe.reason);
  if (probe.state === "maintenance") return { ...nothing, state: "unconfigured" };
  if (probe.state === "other-cluster") return { ...nothing, state: "foreign" };
  return access.using(cluster.name, node.address, (client) => askNode(client, node, signal));
}

async function askNode(client: TalosClient, node: Node, signal: AbortSignal): Promise<NodeExam> {
  const [services, status, addresses, time, database] = await Promise.all([
    settle(client.services({ signal })),
    settle(client.machineStatus({ signal })),
    settle(client.addresses({ signal })),
    settle(client.time({ signal })),
    node.role === "control-plane" ? askEtcd(client, signal) : undefined,
  ]);
  if ("why" in services && "why" in status) return silentNode(node, services.why);
  const running = "value" in services ? services.value : [];
  const isWaiting = database && running.some(({ id, state }) => id === "etcd" && state === "Preparing");
  return {
    node: node.name,
    state: "ours",
    complaints: [
      ...serviceComplaints(running),
      ...("value" in status ? (status.value?.unmet ?? []) : []).map(({ name, reason }) => ({
        part: name,
        why: reason,
      })),
    ],
    addresses: "value" in addresses ? addresses.value.map(({ cidr }) => cidr.split("/")[0] ?? cidr) : [],
    ...("value" in time && { clockAheadMs: time.value.localMs - time.value.remoteMs }),
    ...(database && { database: { ...database, ...(isWaiting && { isWaiting }) } }),
  };
}

async function askEtcd(client: TalosClient, signal: AbortSignal): Promise<NonNullable<NodeExam["database"]>> {
  const members = await settle(client.etcdMembers({ signal }));
  if ("why" in members) return { members: [], alarms: [], silence: members.why };
  const alarms = await settle(client.etcdAlarms({ signal }));
  return {
    members: members.value.map(({ hostname }) => hostname),
    alarms: "value" in alarms ? [...new Set(alarms.value.map(({ alarm }) => alarm))] : [],
  };
}

/** Services that have failed or say that they are ill; those that wait for others are no cause of anything. */
const serviceComplaints = (services: TalosService[]): NodeExam["complaints"] =>
  services
    .filter(({ state, isHealthy }) => state === "Failed" || isHealthy === false)
    .map(({ id, state, lastMessage }) => ({ part: id, why: lastMessage || `is ${state}` }));

type Settled<T> = { value: T } | { why: string };

async function settle<T>(asked: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await asked };
  } catch (thrown) {
    return { why: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}
