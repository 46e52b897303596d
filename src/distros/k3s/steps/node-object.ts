import { conditionOf, drainNode, type KubeClient, type KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same, type Seen, type StepContext } from "../../../plan/index.ts";
import { seeDoctor } from "../../kubernetes/index.ts";
import { quorumAtRisk } from "./errors.ts";
import { findNode, waitUntilForgotten } from "./forget-node.ts";
import type { K3sAccess } from "./k3s-access.ts";

/** A node that leaves, as the cluster knows it. */
export interface LeaverWant {
  cluster: string;
  node: string;
  endpoint: string;
}

const nodeRef = (name: string) => ({ apiVersion: "v1", kind: "Node", name });
const annotation = { remove: "etcd.k3s.cattle.io/remove", removed: "etcd.k3s.cattle.io/removed-node-name" };
const drainMs = 10 * 60_000;

/**
 * A node leaves in a fixed order, before its machine goes: etcd is asked whether it can spare it, its pods go elsewhere,
 * its member leaves etcd, and only then is it forgotten. The first that fails keeps the machine.
 */
export const k3sNodeObject = (access: K3sAccess) =>
  defineResource<LeaverWant, LeaverWant>({
    kind: "k3s/node-object",

    async read(ctx, want) {
      try {
        const kube = await access.kube(want.cluster, want.endpoint);
        return (await findNode(kube, want.node, ctx.signal)) ? want : undefined;
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: () => same,
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,

    async remove(ctx, have) {
      const kube = await access.kube(have.cluster, have.endpoint);
      const node = await findNode(kube, have.node, ctx.signal);
      if (!node) return;
      const isServer = hasVote(node) !== undefined;
      if (isServer) await demandQuorum(kube, have, ctx.signal);
      await emptyNode(ctx, kube, have.node);
      if (isServer) await leaveEtcd(ctx, kube, have);
      await kube.deleteNode(have.node, ctx.signal);
      await waitUntilForgotten(access, ctx, { ...have, server: have.endpoint, isServer });
    },
  });

/** Undefined of nodes that keep no part of etcd. */
const hasVote = (node: KubeNode): boolean | undefined => {
  const voter = conditionOf(node, "EtcdIsVoter");
  return voter && voter.status === "True";
};

/** More than half of those who vote now have to be well without it. */
async function demandQuorum(kube: KubeClient, want: LeaverWant, signal: AbortSignal): Promise<void> {
  const servers = (await kube.nodes(signal)).filter((node) => hasVote(node) !== undefined);
  const voters = servers
    .filter((node) => node.metadata.name !== want.node && hasVote(node) && isHeard(node))
    .map((node) => node.metadata.name);
  if (voters.length * 2 <= servers.length - 1 || voters.length === 0)
    throw quorumAtRisk({ ...want, voters, all: servers.length });
}

const isHeard = (node: KubeNode): boolean => conditionOf(node, "Ready")?.status !== "Unknown";

/** One that is dead cannot stop its pods; Kubernetes has moved them by then, or will when it is forgotten. */
async function emptyNode(ctx: StepContext, kube: KubeClient, name: string): Promise<void> {
  const node = await findNode(kube, name, ctx.signal);
  if (!node || !isHeard(node)) return;
  await drainNode(kube, name, {
    clock: ctx.clock,
    deadlineMs: drainMs,
    signal: ctx.signal,
    onSeen: (seen) => ctx.log("info", `drain of ${name}: ${seen}`),
  });
}

/** K3s moves the leadership away first, and writes down when the member is out. */
async function leaveEtcd(ctx: StepContext, kube: KubeClient, want: LeaverWant): Promise<void> {
  const patch = { metadata: { annotations: { [annotation.remove]: "true" } } };
  await kube.patch(nodeRef(want.node), patch, { signal: ctx.signal });
  await ctx.waitFor(
    {
      what: `etcd to let ${want.node} go`,
      probe: "https",
      deadlineMs: 300_000,
      usualMs: 5_000,
      next: seeDoctor(want.cluster),
    },
    async (signal): Promise<Seen<true>> => {
      const node = await findNode(kube, want.node, signal);
      const { annotations = {} } = node?.metadata ?? {};
      if (!node || annotations[annotation.removed] !== undefined) return { done: true, value: true };
      const isRefused = annotations[annotation.remove] === undefined;
      return {
        done: false,
        seen: isRefused ? "etcd refused: it is its only member" : "it is still a member",
      };
    },
  );
}
