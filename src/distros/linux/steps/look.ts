import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { NodeLook } from "../../../plan/index.ts";
import type { LinuxCluster } from "../../../spec/index.ts";
import { guestOf } from "./describe.ts";
import { glanceAt } from "./glance.ts";
import type { LinuxAccess } from "./linux-access.ts";

const patienceMs = 5_000;

/** One quick look at every machine. Never fails: partial truth beats none. */
export async function lookAtGuests(
  access: LinuxAccess,
  cluster: LinuxCluster,
  signal: AbortSignal,
): Promise<Map<string, NodeLook>> {
  const looks = cluster.nodes.map(async (node): Promise<[string, NodeLook]> => {
    try {
      const late = `no answer within ${patienceMs / 1000}s`;
      const seen = await limitTime(patienceMs, late, signal, (limit) =>
        access.using(guestOf(cluster, node), limit, patienceMs, (to) => glanceAt(to, limit)),
      );
      return [node.name, { software: seen.release, isReady: seen.complaints?.length === 0 }];
    } catch (thrown) {
      return [node.name, { silence: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) }];
    }
  });
  return new Map(await Promise.all(looks));
}
