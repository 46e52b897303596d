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

/** The same where another could lead. One that cannot hand over goes all the same: its restart may be what heals it. */
export async function handOverEtcd(
  access: TalosAccess,
  ctx: StepContext,
  { name: cluster, nodes }: Cluster,
  node: string,
): Promise<void> {
  const controlPlanes = nodes.filter(({ role }) => role === "control-plane");
  const leaving = controlPlanes.find(({ name }) => name === node);
  if (!leaving || controlPlanes.length === 1) return;
  try {
    await access.using(cluster, leaving.address, (client) => forfeitLeadership(ctx, client, node));
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    ctx.log("debug", `${node} does not hand over etcd: ${thrown.why}`);
  }
}
