import { describeCause, SlipwayError } from "../../errors/index.ts";
import { limitTime } from "../../lib/index.ts";
import type { NodeInspection, QuickStatus } from "../../plan/index.ts";
import type { GuestCluster, Node } from "../../spec/index.ts";
import { guestOf, askHostStatus, type HostStatus, type LinuxAccess } from "../linux-hosts/index.ts";

const patienceMs = 5_000;

/** One quick look at every machine. Never fails: partial truth beats none. */
export const askGuestStatuses = (
  access: LinuxAccess,
  cluster: GuestCluster,
  signal: AbortSignal,
): Promise<Map<string, QuickStatus>> =>
  askGuests<QuickStatus>(access, cluster, signal, {
    seen: (_node, { release, complaints }) => ({ software: release, isReady: complaints?.length === 0 }),
    unreachable: (_node, thrown) => ({ unreachableBecause: whyUnreachable(thrown) }),
  });

/** What every machine says of itself after a login. */
export const inspectGuests = (
  access: LinuxAccess,
  cluster: GuestCluster,
  signal: AbortSignal,
): Promise<Map<string, NodeInspection>> =>
  askGuests<NodeInspection>(access, cluster, signal, {
    seen: (node, { complaints = [], addresses }) => ({
      node,
      state: "ours",
      complaints: complaints.map((why) => ({ part: "cloud-init", why })),
      addresses,
    }),
    unreachable: (node, thrown) => ({
      node,
      state: thrown instanceof SlipwayError && thrown.code === "LINUX_KEYS_LOST" ? "foreign" : "unreachable",
      unreachableBecause: whyUnreachable(thrown),
      complaints: [],
      addresses: [],
    }),
  });

interface Answers<T> {
  seen(node: string, status: HostStatus): T;
  unreachable(node: string, thrown: unknown): T;
}

async function askGuests<T>(
  access: LinuxAccess,
  cluster: GuestCluster,
  signal: AbortSignal,
  { seen, unreachable }: Answers<T>,
): Promise<Map<string, T>> {
  const ask = async (node: Node): Promise<[string, T]> => {
    const { name } = node;
    try {
      const late = `no answer within ${patienceMs / 1000}s`;
      const status = await limitTime(access.world.clock, patienceMs, late, signal, (limit) =>
        access.using(guestOf(cluster, node), limit, patienceMs, (to) => askHostStatus(to, limit)),
      );
      return [name, seen(name, status)];
    } catch (thrown) {
      return [name, unreachable(name, thrown)];
    }
  };
  return new Map(await Promise.all(cluster.nodes.map(ask)));
}

const whyUnreachable = (thrown: unknown): string =>
  thrown instanceof SlipwayError ? thrown.why : describeCause(thrown);
