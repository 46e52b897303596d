import { errorData, SlipwayError } from "../../../../errors/index.ts";
import { defineResource, same, type Seen, type StepContext } from "../../../../plan/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import { etcdCannotSpare } from "../../errors.ts";
import type { TalosAccess } from "../../talos-access.ts";
import { forfeitLeadership } from "./forfeit-leadership.ts";
import { askMembers, spareProblem, type KnownMember } from "./quorum.ts";

/** A control plane that leaves etcd before its machine goes. */
export interface MemberWant {
  cluster: string;
  node: string;
  /** Addresses of the control planes that stay: those are asked. */
  staying: string[];
  /** Control planes that leave before it in the same plan. */
  before: string[];
}

interface MemberHave extends MemberWant {
  /** Why etcd cannot do without it as things are. */
  problem?: string | undefined;
}

/** Which members etcd has must be known before a machine goes, so nobody who answers is no answer. */
const nobodyAnswers = "no control plane that stays answers for etcd";
const onlyMember = (node: string): string => `${node} is its only control plane`;
const quorumWait = { probe: "grpc", deadlineMs: 5 * 60_000, everyMs: 2_000, usualMs: 1_000 };

/**
 * The seat of a control plane in etcd. It goes only while those that stay hold the quorum: by itself where its node
 * answers, else a healthy one takes it out.
 */
export const talosMember = (access: TalosAccess) =>
  defineResource<MemberWant, MemberHave>({
    kind: "talos/member",
    face: () => ({ noun: "etcd member" }),

    async read(ctx, want) {
      const members = await askMembers(access, want.cluster, want.staying, ctx);
      if (!members)
        return { ...want, problem: want.staying.length === 0 ? onlyMember(want.node) : nobodyAnswers };
      if (!members.some(({ name }) => name === want.node)) return undefined;
      return { ...want, problem: spareProblem(members, want.node, want.before) };
    },

    compare: () => same,
    removalBlocker: ({ problem, ...have }) =>
      problem === undefined ? undefined : errorData(etcdCannotSpare(cannotSpare(have, problem))),
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,

    async remove(ctx, have) {
      const found = await untilSpared(access, ctx, have);
      if (!found) return;
      await takeOut(access, ctx, have, found);
      await untilForgotten(access, ctx, have);
    },
  });

const cannotSpare = ({ cluster, node, staying }: MemberWant, why: string) => ({
  ...{ cluster, node, why },
  isOnly: staying.length === 0,
});

/** The member and who may take it out, once etcd can do without it. Undefined when it has left already. */
async function untilSpared(
  access: TalosAccess,
  ctx: StepContext,
  have: MemberHave,
): Promise<KnownMember[] | undefined> {
  let problem: string | undefined;
  try {
    return await ctx.waitFor(
      { ...quorumWait, what: `etcd to be able to do without ${have.node}`, next: seeDoctor(have.cluster) },
      async (signal): Promise<Seen<KnownMember[] | undefined>> => {
        const members = await askMembers(access, have.cluster, have.staying, { clock: ctx.clock, signal });
        if (members && !members.some(({ name }) => name === have.node))
          return { done: true, value: undefined };
        problem = members ? spareProblem(members, have.node) : nobodyAnswers;
        return problem === undefined ? { done: true, value: members } : { done: false, seen: problem };
      },
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG" && problem !== undefined)
      throw etcdCannotSpare(cannotSpare(have, problem));
    throw thrown;
  }
}

/** A node that leaves by itself empties its data, so that it cannot come back as the member it was. */
async function takeOut(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, node, staying }: MemberHave,
  members: KnownMember[],
): Promise<void> {
  const leaving = members.find(({ name }) => name === node);
  if (!leaving) return;
  if (leaving.isHealthy) {
    try {
      await access.using(cluster, leaving.address, async (client) => {
        await forfeitLeadership(ctx, client, node);
        await client.leaveEtcd({ signal: ctx.signal });
      });
      return;
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError)) throw thrown;
      ctx.log("info", `${node} does not leave etcd by itself and is taken out by another: ${thrown.why}`);
    }
  }
  const addresses = members
    .filter((each) => each.isHealthy && each.name !== node)
    .map(({ address }) => address);
  const [by = staying[0] ?? ""] = addresses;
  try {
    await access.using(cluster, by, (client) => client.removeEtcdMember(leaving.id, { signal: ctx.signal }));
  } catch (thrown) {
    // It left in the meantime.
    if (!(thrown instanceof SlipwayError) || thrown.code !== "TALOS_NOT_FOUND") throw thrown;
  }
}

async function untilForgotten(access: TalosAccess, ctx: StepContext, have: MemberHave): Promise<void> {
  await ctx.waitFor(
    { ...quorumWait, what: `etcd to go on without ${have.node}`, next: seeDoctor(have.cluster) },
    async (signal): Promise<Seen<true>> => {
      const members = await askMembers(access, have.cluster, have.staying, { clock: ctx.clock, signal });
      if (!members) return { done: false, seen: nobodyAnswers };
      return members.some(({ name }) => name === have.node)
        ? { done: false, seen: "it is still a member" }
        : { done: true, value: true };
    },
  );
}
