import type { TalosClient } from "../../../../clients/talos/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import type { StepContext } from "../../../../plan/index.ts";
import type { Cluster } from "../../../../spec/index.ts";
import type { TalosAccess } from "../../talos-access.ts";

/** A leader of etcd that goes away costs an election; one that hands over first does not. */
export async function forfeitLeadership(ctx: StepContext, client: TalosClient, node: string): Promise<void> {
  const follower = await client.forfeitEtcdLeadership({ signal: ctx.signal });
  if (follower !== undefined) ctx.log("info", `etcd is led by ${follower} instead of ${node}`);
}

/** The control planes of a cluster, by node. */
interface Members {
  cluster: string;
  controlPlanes: { node: string; address: string }[];
}

export const membersOf = ({ name, nodes }: Cluster): Members => ({
  cluster: name,
  controlPlanes: nodes
    .filter(({ role }) => role === "control-plane")
    .map(({ name: node, address }) => ({ node, address })),
});

/**
 * The same before a node restarts, whatever it restarts for, where another could lead. One that cannot hand over goes all the
 * same: its restart may be what heals it.
 */
export async function handOverEtcd(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, controlPlanes }: Members,
  node: string,
): Promise<void> {
  const leaving = controlPlanes.find((each) => each.node === node);
  if (!leaving || controlPlanes.length === 1) return;
  try {
    await access.using(cluster, leaving.address, (client) => forfeitLeadership(ctx, client, node));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    ctx.log("debug", `${node} does not hand over etcd: ${thrown.why}`);
  }
}
