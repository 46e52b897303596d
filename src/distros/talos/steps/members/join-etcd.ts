import { SlipwayError } from "../../../../errors/index.ts";
import type { Seen, StepContext } from "../../../../plan/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import { memberNotVoting } from "../../errors.ts";
import type { TalosAccess } from "../../talos-access.ts";
import { askMembers, type KnownMember } from "./quorum.ts";

/** A control plane that comes to a cluster that runs. */
interface Joining {
  cluster: string;
  node: string;
  joins: { node: string; address: string }[];
}

const voteWait = { probe: "grpc", deadlineMs: 10 * 60_000, everyMs: 1_000 };

/**
 * Control planes join one at a time: `join` begins while all that are there vote and are healthy, and the next one's turn
 * comes when this one votes.
 */
export function joinEtcd<T>(
  access: TalosAccess,
  ctx: StepContext,
  joining: Joining,
  join: () => Promise<T>,
): Promise<T> {
  const { cluster, node, joins } = joining;
  return ctx.rolling(`${cluster}/join`, async () => {
    const others = joins.map((each) => each.node);
    await untilVoting(access, ctx, joining, `the other control planes, so that ${node} can join`, others);
    const done = await join();
    await untilVoting(access, ctx, joining, `${node} to vote in etcd`, [node]);
    return done;
  });
}

async function untilVoting(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, node, joins }: Joining,
  what: string,
  names: string[],
): Promise<void> {
  const addresses = joins.map(({ address }) => address);
  let why = "";
  try {
    await ctx.waitFor(
      { ...voteWait, what, next: seeDoctor(cluster) },
      async (signal): Promise<Seen<true>> => {
        const members = await askMembers(access, cluster, addresses, { clock: ctx.clock, signal });
        const seen = members ? notVoting(members, names) : "no control plane answers for etcd";
        why = seen ?? why;
        return seen === undefined ? { done: true, value: true } : { done: false, seen };
      },
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG")
      throw memberNotVoting({ cluster, node, why, cause: thrown });
    throw thrown;
  }
}

/** Those of the names that are no members yet, and every member that does not vote or is not healthy. */
function notVoting(members: KnownMember[], names: string[]): string | undefined {
  const missing = names.filter((name) => !members.some((member) => member.name === name));
  if (missing.length > 0) return `${missing.join(", ")}: no member of etcd yet`;
  const learner = members.find(({ isLearner }) => isLearner);
  if (learner) return `${learner.name || "a new member"} is joining and does not vote yet`;
  const sick = members.filter(({ isHealthy }) => !isHealthy).map(({ name }) => name);
  return sick.length > 0 ? `etcd on ${sick.join(", ")} is not healthy` : undefined;
}
