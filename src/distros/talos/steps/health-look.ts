import type { TalosClient } from "../../../clients/talos/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** A node that is well answers at once; this long it may take under load. */
const patienceMs = 5_000;

/** What a node tells of itself that matters for its health. */
export interface TalosSight {
  version: string;
  addresses: string[];
  /** Only of control planes; why it does not answer otherwise. */
  etcd?: { voters: number; alarms: string[] } | { silence: string };
}

/** A sight, or why there is none. */
export type TalosAnswer = TalosSight | { silence: string };

/** Asks every node once for everything, all at the same time. A silent one is waited for once. */
export async function lookClosely(
  access: TalosAccess,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Map<string, TalosAnswer>> {
  const answers = cluster.nodes.map(async (node): Promise<[string, TalosAnswer]> => [
    node.name,
    await orSilence(signal, () =>
      access.using(cluster.name, node.address, (client) => sightOf(client, node, signal)),
    ),
  ]);
  return new Map(await Promise.all(answers));
}

async function sightOf(client: TalosClient, node: Node, signal: AbortSignal): Promise<TalosSight> {
  const [{ version }, addresses, etcd] = await Promise.all([
    client.version(),
    client.addresses(),
    node.role === "control-plane" ? orSilence(signal, () => etcdOf(client)) : undefined,
  ]);
  return {
    version,
    addresses: addresses.map(({ cidr }) => cidr.split("/")[0] ?? ""),
    ...(etcd && { etcd }),
  };
}

async function etcdOf(client: TalosClient) {
  const [members, alarms] = await Promise.all([client.etcdMembers(), client.etcdAlarms()]);
  return {
    voters: members.filter((member) => !member.isLearner).length,
    alarms: [...new Set(alarms.map(({ alarm }) => alarm))].filter((alarm) => alarm !== "none"),
  };
}

async function orSilence<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | { silence: string }> {
  try {
    return await limitTime(patienceMs, `no answer within ${patienceMs / 1000}s`, signal, ask);
  } catch (thrown) {
    signal.throwIfAborted();
    return { silence: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}
