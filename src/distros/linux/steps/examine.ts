import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { NodeExam } from "../../../plan/index.ts";
import type { LinuxCluster, Node } from "../../../spec/index.ts";
import { guestOf } from "./describe.ts";
import { glanceAt } from "./glance.ts";
import type { LinuxAccess } from "./linux-access.ts";

const patienceMs = 5_000;

/** What every machine says of itself when somebody logs in. */
export async function examineGuests(
  access: LinuxAccess,
  cluster: LinuxCluster,
  signal: AbortSignal,
): Promise<Map<string, NodeExam>> {
  const exams = cluster.nodes.map(async (node): Promise<[string, NodeExam]> => {
    try {
      const late = `no answer within ${patienceMs / 1000}s`;
      const seen = await limitTime(patienceMs, late, signal, (limit) =>
        access.using(guestOf(cluster, node), limit, patienceMs, (to) => glanceAt(to, limit)),
      );
      const complaints = (seen.complaints ?? []).map((why) => ({ part: "cloud-init", why }));
      return [node.name, { node: node.name, state: "ours", complaints, addresses: seen.addresses }];
    } catch (thrown) {
      return [node.name, silentGuest(node, thrown)];
    }
  });
  return new Map(await Promise.all(exams));
}

const silentGuest = ({ name }: Node, thrown: unknown): NodeExam => ({
  node: name,
  state: thrown instanceof SlipwayError && thrown.code === "LINUX_KEYS_LOST" ? "foreign" : "silent",
  silence: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown),
  complaints: [],
  addresses: [],
});
