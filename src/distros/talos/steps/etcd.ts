import type { TalosClient } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same, type Recovery, type Seen, type StepContext } from "../../../plan/index.ts";
import { etcdImageMissing, memberUnreachable } from "../errors.ts";
import type { TalosAccess } from "../talos-access.ts";
import { seeDoctor } from "../../kubernetes/index.ts";
import { askEtcdStatus, membersOf } from "./etcd-status.ts";
import { snapshotRefused } from "./recovery/errors.ts";
import { recoverEtcd, type FoundEtcd } from "./recovery/recover-etcd.ts";

interface ControlPlane {
  node: string;
  address: string;
  /** Its machine was there before this run, so it may hold a cluster already. */
  isKnown: boolean;
}

export interface EtcdWant {
  cluster: string;
  controlPlanes: ControlPlane[];
  /** It begins with the database of a backup instead of empty. */
  recovery?: Recovery | undefined;
}

interface EtcdHave {
  members: number;
}

/** etcd is bootstrapped once in a cluster's life: never when any control plane already holds a member. */
export const talosEtcd = (access: TalosAccess) =>
  defineResource<EtcdWant, EtcdHave>({
    kind: "talos/etcd",
    face: ({ want }) => (want.recovery ? { asNew: "etcd from the backup" } : {}),

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
      const at = { cluster: want.cluster, node: first.node };
      const found = want.recovery ? recoverEtcd(access, ctx, at, want.recovery) : callBootstrap;
      const boot = await bootstrap(access, ctx, want, first, found);
      return waitForEtcd(access, ctx, want, first, { boot, found });
    },

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ members: have.members }),
  });

/** How many members a node's etcd knows: none while it does not run, undefined when it does not answer. */
async function countMembers(
  access: TalosAccess,
  cluster: string,
  address: string,
): Promise<number | undefined> {
  try {
    return await access.using(cluster, address, async (node) => {
      const etcd = await askEtcdStatus(node);
      return etcd?.state === "Running" ? (await membersOf(node)).length : 0;
    });
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
        if (probe.state === "unreachable") return { done: false, seen: probe.reason };
        if (probe.state !== "ours") return { done: true, value: 0 };
        return access.using(cluster, node.address, (client) => heldMembers(client, signal));
      },
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG")
      throw memberUnreachable({ cluster, ...node, cause: thrown });
    throw thrown;
  }
}

/** An etcd without data waits in `Preparing`. In any other state it may hold the cluster, and has to say so. */
async function heldMembers(node: TalosClient, signal: AbortSignal): Promise<Seen<number>> {
  const etcd = await askEtcdStatus(node, { signal });
  if (etcd === undefined) return { done: false, seen: "etcd has not started" };
  if (etcd.state === "Preparing") return { done: true, value: 0 };
  if (etcd.state !== "Running") return { done: false, seen: etcd.words };
  return { done: true, value: (await membersOf(node, signal)).length };
}

/** Not ready yet is worth waiting for; already done is what we want. Returns the boot of the node that took the call. */
function bootstrap(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, recovery }: EtcdWant,
  first: ControlPlane,
  found: FoundEtcd,
): Promise<string> {
  return ctx.waitFor(
    {
      what: `${first.node} to take the ${recovery ? "snapshot of the backup" : "bootstrap call"}`,
      probe: "grpc",
      deadlineMs: 600_000,
      next: seeDoctor(cluster),
    },
    (signal) => access.using(cluster, first.address, (node) => found(node, signal)),
  );
}

async function callBootstrap(node: TalosClient, signal: AbortSignal): Promise<Seen<string>> {
  const boot = await node.bootId({ signal });
  try {
    await node.bootstrap({ signal });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "TALOS_ALREADY_EXISTS") throw thrown;
  }
  return { done: true, value: boot };
}

/** After this long it is worth reading the log. */
const usualPreparationMs = 5_000;

/**
 * Talos up to 1.13 may accept the call and then lose it in a reboot: etcd that prepares after another boot is called again.
 * In the same boot it is not: each call makes etcd begin from the start, with the download of its image too.
 */
async function waitForEtcd(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, recovery }: EtcdWant,
  first: ControlPlane,
  { boot, found }: { boot: string; found: FoundEtcd },
): Promise<EtcdHave> {
  const startedAt = ctx.clock.now();
  let calledIn = boot;
  let imageTrouble: string | undefined;
  const look = async (node: TalosClient, signal: AbortSignal): Promise<Seen<EtcdHave>> => {
    const isLong = ctx.clock.now() - startedAt > usualPreparationMs;
    const etcd = await askEtcdStatus(node, { signal, readsLog: isLong });
    imageTrouble = etcd?.imageTrouble;
    if (etcd === undefined) return { done: false, seen: "etcd has not started" };
    if (etcd.state === "Running") {
      const { length } = await membersOf(node, signal);
      return length > 0 ? { done: true, value: { members: length } } : { done: false, seen: etcd.words };
    }
    // A service that failed on its image does not try again by itself.
    if (etcd.state === "Failed" && imageTrouble !== undefined)
      throw etcdImageMissing({ cluster, node: first.node, why: imageTrouble });
    if (etcd.state === "Failed" && recovery)
      throw snapshotRefused({ cluster, node: first.node, why: etcd.words });
    if (etcd.state === "Preparing" && (await node.bootId({ signal })) !== calledIn) {
      const again = await found(node, signal);
      if (again.done) calledIn = again.value;
    }
    return { done: false, seen: etcd.words };
  };
  try {
    return await ctx.waitFor(
      {
        what: `etcd on ${first.node} to be healthy`,
        probe: "grpc",
        deadlineMs: 600_000,
        usualMs: 15_000,
        next: seeDoctor(cluster),
      },
      (signal) => access.using(cluster, first.address, (node) => look(node, signal)),
    );
  } catch (thrown) {
    const isLate = thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG";
    if (isLate && imageTrouble !== undefined)
      throw etcdImageMissing({ cluster, node: first.node, why: imageTrouble });
    throw thrown;
  }
}
