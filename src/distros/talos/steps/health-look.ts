import type { TalosClient } from "../../../clients/talos/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import { lookAtEtcd } from "./etcd-look.ts";
import type { TalosAccess } from "./talos-access.ts";

/** A node that is well answers at once; this long each of its answers may take under load. */
const patienceMs = 5_000;

interface Silence {
  silence: string;
}

/** What a node tells of itself that matters for its health. */
export interface TalosSight {
  version: string;
  addresses: string[] | Silence;
  /** Only of control planes. */
  etcd?: { voters: number; alarms: string[] } | Silence;
}

/** A sight, or why there is none. */
export type TalosAnswer = TalosSight | Silence;

/** Asks every node once for everything, all at the same time. A silent one is waited for once. */
export async function lookClosely(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, TalosAnswer>> {
  const answers = cluster.nodes.map(async (node): Promise<[string, TalosAnswer]> => [
    node.name,
    await lookAt(access, cluster, node, signal),
  ]);
  return new Map(await Promise.all(answers));
}

async function lookAt(
  access: TalosAccess,
  cluster: Cluster,
  node: Node,
  signal: AbortSignal,
): Promise<TalosAnswer> {
  try {
    return await access.using(cluster.name, node.address, (client) => sightOf(client, node, signal));
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return { silence: thrown.why };
    throw thrown;
  }
}

/** Each question has its own time: one that is not answered takes nothing from the others. */
async function sightOf(client: TalosClient, node: Node, signal: AbortSignal): Promise<TalosAnswer> {
  const [version, addresses, etcd] = await Promise.all([
    orSilence(signal, (limit) => client.version({ signal: limit })),
    orSilence(signal, async (limit) =>
      (await client.addresses({ signal: limit })).map(({ cidr }) => cidr.split("/")[0] ?? ""),
    ),
    node.role === "control-plane" ? orSilence(signal, (limit) => etcdOf(client, limit)) : undefined,
  ]);
  if ("silence" in version) return version;
  return { version: version.version, addresses, ...(etcd && { etcd }) };
}

async function etcdOf(client: TalosClient, signal: AbortSignal) {
  const look = await lookAtEtcd(client, { signal, readsLog: true });
  if (look?.state !== "Running") return { silence: look?.words ?? "etcd has not started" };
  const [members, alarms] = await Promise.all([
    client.etcdMembers({ signal }),
    client.etcdAlarms({ signal }),
  ]);
  return {
    voters: members.filter((member) => !member.isLearner).length,
    alarms: [...new Set(alarms.map(({ alarm }) => alarm))].filter((alarm) => alarm !== "none"),
  };
}

async function orSilence<T>(
  signal: AbortSignal,
  ask: (limit: AbortSignal) => Promise<T>,
): Promise<T | Silence> {
  try {
    return await limitTime(patienceMs, `no answer within ${patienceMs / 1000}s`, signal, ask);
  } catch (thrown) {
    signal.throwIfAborted();
    return { silence: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}
