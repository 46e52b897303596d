import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same, type Seen, type StepContext } from "../../../plan/index.ts";
import { memberSilent } from "./errors.ts";
import type { TalosAccess } from "./talos-access.ts";
import { seeDoctor } from "../../kubernetes/index.ts";

export interface ControlPlane {
  node: string;
  address: string;
  /** Its machine was there before this run, so it may hold a cluster already. */
  isKnown: boolean;
}

export interface EtcdWant {
  cluster: string;
  controlPlanes: ControlPlane[];
}

export interface EtcdHave {
  members: number;
}

/** etcd is bootstrapped once in a cluster's life: never when any control plane already holds a member. */
export const talosEtcd = (access: TalosAccess) =>
  defineResource<EtcdWant, EtcdHave>({
    kind: "talos/etcd",

    async read(_ctx, want) {
      const counts = await Promise.all(
        want.controlPlanes.map((node) => countMembers(access, want.cluster, node.address)),
      );
      const members = Math.max(0, ...counts.map((count) => count ?? 0));
      return members === 0 ? undefined : { members };
    },

    compare: () => same,

    async create(ctx, want) {
      const [first] = want.controlPlanes;
      if (!first) throw new Error(`cluster ${want.cluster} has no control plane`);
      const others = want.controlPlanes.slice(1).filter((node) => node.isKnown);
      for (const node of others) {
        const members = await askKnownMember(access, ctx, want.cluster, node);
        if (members > 0) return { members };
      }
      await bootstrap(access, ctx, want.cluster, first);
      return waitForEtcd(access, ctx, want.cluster, first);
    },

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ members: have.members }),
  });

/** How many members a node's etcd knows; undefined when the node or its etcd does not answer. */
async function countMembers(
  access: TalosAccess,
  cluster: string,
  address: string,
): Promise<number | undefined> {
  try {
    return await access.using(cluster, address, async (node) => (await node.etcdMembers()).length);
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}

/** A control plane that existed before must be heard before a new cluster may be founded. */
async function askKnownMember(
  access: TalosAccess,
  ctx: StepContext,
  cluster: string,
  node: ControlPlane,
): Promise<number> {
  try {
    return await ctx.waitFor(
      { what: `${node.node} to say whether it holds the cluster`, probe: "grpc", deadlineMs: 300_000 },
      async (signal): Promise<Seen<number>> => {
        const probe = await access.probe(cluster, node.address, signal);
        if (probe.state === "silent") return { done: false, seen: probe.reason };
        if (probe.state !== "ours") return { done: true, value: 0 };
        return { done: true, value: (await countMembers(access, cluster, node.address)) ?? 0 };
      },
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG")
      throw memberSilent({ cluster, ...node, cause: thrown });
    throw thrown;
  }
}

/** Not ready yet is worth waiting for; already done is what we want. */
async function bootstrap(
  access: TalosAccess,
  ctx: StepContext,
  cluster: string,
  first: ControlPlane,
): Promise<void> {
  await ctx.waitFor(
    {
      what: `${first.node} to take the bootstrap call`,
      probe: "grpc",
      deadlineMs: 600_000,
      next: seeDoctor(cluster),
    },
    async (): Promise<Seen<true>> => {
      await callBootstrap(access, cluster, first);
      return { done: true, value: true };
    },
  );
}

async function callBootstrap(access: TalosAccess, cluster: string, first: ControlPlane): Promise<void> {
  try {
    await access.using(cluster, first.address, (node) => node.bootstrap());
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "TALOS_ALREADY_EXISTS") throw thrown;
  }
}

/** Talos up to 1.13 may accept the call and then lose it in a reboot: etcd that prepares again is called again. */
const callAgainMs = 20_000;

function waitForEtcd(
  access: TalosAccess,
  ctx: StepContext,
  cluster: string,
  first: ControlPlane,
): Promise<EtcdHave> {
  let calledAt = ctx.clock.now();
  return ctx.waitFor(
    {
      what: `etcd on ${first.node} to be healthy`,
      probe: "grpc",
      deadlineMs: 600_000,
      usualMs: 15_000,
      next: seeDoctor(cluster),
    },
    async (): Promise<Seen<EtcdHave>> => {
      const members = await countMembers(access, cluster, first.address);
      if (members !== undefined && members > 0) return { done: true, value: { members } };
      const services = await access.using(cluster, first.address, (node) => node.services());
      const etcd = services.find((service) => service.id === "etcd");
      if (etcd?.state === "Preparing" && ctx.clock.now() - calledAt > callAgainMs) {
        calledAt = ctx.clock.now();
        await callBootstrap(access, cluster, first);
      }
      return { done: false, seen: etcd ? `etcd is ${etcd.state}` : "etcd has not started" };
    },
  );
}
