import { conditionOf, type KubeClient, type KubeNode } from "../../../../clients/kube/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import type { Seen, StepContext } from "../../../../plan/index.ts";
import {
  answeringServer,
  defineLeftover,
  emptyNode,
  forgetNode,
  seeDoctor,
} from "../../../kubernetes/index.ts";
import { isStarting, type Guest, type HostSession } from "../../../linux-hosts/index.ts";
import { joiningFile } from "../../files/membership-file.ts";
import { k3sPaths } from "../../paths.ts";
import { unitName } from "../../files/unit-file.ts";
import { quorumAtRisk } from "../../errors.ts";
import { findNode, waitUntilForgotten } from "./forget-node.ts";
import { serverUrl, type K3sAccess } from "../../k3s-access.ts";

/** A node that leaves. Where it stands, only Kubernetes knows any more. */
export interface LeftoverNodeWant extends Omit<Guest, "address"> {
  /** It holds a part of etcd. */
  isServer: boolean;
  /** Where those answer that stay: the VIP may be held by the very server that leaves. */
  servers: string[];
  /** How long its pods may take to leave. */
  drainMs: number;
}

const nodeRef = (name: string) => ({ apiVersion: "v1", kind: "Node", name });
const annotation = { remove: "etcd.k3s.cattle.io/remove", removed: "etcd.k3s.cattle.io/removed-node-name" };

/**
 * A node leaves in a fixed order, before its machine goes: etcd is asked whether it can spare it, its pods go elsewhere,
 * its member leaves etcd, and only then is it forgotten. The first that fails keeps the machine.
 */
export const k3sNodeObject = (access: K3sAccess) =>
  defineLeftover<LeftoverNodeWant>({
    kind: "k3s/node-object",

    async isThere(ctx, want) {
      try {
        const { kube } = await serverOf(access, want, ctx.signal);
        return (await findNode(kube, want.node, ctx.signal)) !== undefined;
      } catch (thrown) {
        // While none can say whether etcd counts a server, its machine stays.
        if (want.isServer && thrown instanceof SlipwayError) return true;
        throw thrown;
      }
    },

    async remove(ctx, have) {
      const { kube, server } = await serverOf(access, have, ctx.signal);
      const node = await findNode(kube, have.node, ctx.signal);
      if (!node) return;
      const isServer = hasVote(node) !== undefined;
      if (isServer) await demandQuorum(kube, have, ctx.signal);
      await emptyUnlessDead(ctx, kube, have);
      if (isServer) {
        await onHost(access, ctx, have, node, (host, address) =>
          keepFromReturning(host, address, ctx.signal),
        );
        await leaveEtcd(ctx, kube, have);
      }
      await onHost(access, ctx, have, node, (host) => stopForGood(host, isServer, ctx.signal));
      await forgetNode(kube, have.node, ctx.signal);
      await waitUntilForgotten(access, ctx, { ...have, server, isServer });
    },
  });

const serverOf = (access: K3sAccess, { cluster, servers }: LeftoverNodeWant, signal: AbortSignal) =>
  answeringServer((server) => access.kube(cluster, server), servers, signal);

/** One whose machine is lost already has nothing that could come back. */
async function onHost(
  access: K3sAccess,
  ctx: StepContext,
  want: LeftoverNodeWant,
  node: KubeNode,
  work: (host: HostSession, address: string) => Promise<void>,
): Promise<void> {
  const address = node.status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (address === undefined) return;
  try {
    await access.using({ ...want, address }, (host) => work(host, address));
  } catch (thrown) {
    if (!isStarting(thrown)) throw thrown;
    ctx.log("info", `${want.node} does not answer and is removed as it is: ${thrown.why}`);
  }
}

/** A server that is taken out of etcd empties its disk and joins again, where it is told to: so it is told itself. */
const keepFromReturning = (host: HostSession, address: string, signal: AbortSignal): Promise<void> =>
  host.write(k3sPaths.membershipFile, joiningFile(serverUrl(address)), "0600", signal);

/** While it runs, a node that was deleted registers again. */
async function stopForGood(host: HostSession, isServer: boolean, signal: AbortSignal): Promise<void> {
  const unit = unitName(isServer ? "server" : "agent");
  await host.systemctl(["disable", unit], signal);
  await host.systemctl(["stop", unit], signal);
}

/** Undefined of nodes that keep no part of etcd. */
const hasVote = (node: KubeNode): boolean | undefined => {
  const voter = conditionOf(node, "EtcdIsVoter");
  return voter && voter.status === "True";
};

/** More than half of those who vote now have to be well without it. */
async function demandQuorum(kube: KubeClient, want: LeftoverNodeWant, signal: AbortSignal): Promise<void> {
  const servers = (await kube.nodes(signal)).filter((node) => hasVote(node) !== undefined);
  const voters = servers
    .filter((node) => node.metadata.name !== want.node && hasVote(node) && isHeard(node))
    .map((node) => node.metadata.name);
  if (voters.length * 2 <= servers.length - 1 || voters.length === 0)
    throw quorumAtRisk({ ...want, voters, all: servers.length });
}

const isHeard = (node: KubeNode): boolean => conditionOf(node, "Ready")?.status !== "Unknown";

/** One that is dead cannot stop its pods; Kubernetes has moved them by then, or will when it is forgotten. */
async function emptyUnlessDead(ctx: StepContext, kube: KubeClient, want: LeftoverNodeWant): Promise<void> {
  const node = await findNode(kube, want.node, ctx.signal);
  if (!node || !isHeard(node)) return;
  await emptyNode(ctx, kube, want.node, want.drainMs);
}

/** K3s moves the leadership away first, and writes down when the member is out. */
async function leaveEtcd(ctx: StepContext, kube: KubeClient, want: LeftoverNodeWant): Promise<void> {
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
