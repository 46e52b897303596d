import { isNodeReady, type KubeClient, type KubeNode } from "../../../../clients/kube/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import type { Seen, StepContext } from "../../../../plan/index.ts";
import { forgetNode as forgetObjects, seeDoctor } from "../../../kubernetes/index.ts";
import { nameTaken } from "../../errors.ts";
import type { K3sAccess } from "../../k3s-access.ts";
import type { NodeWant } from "../node/node-want.ts";

export const passwordSecret = (node: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  namespace: "kube-system",
  name: `${node}.node-password.k3s`,
});

/**
 * What the cluster remembers of a node that was here before on another disk: its Node, its password, its seat in etcd.
 * While any of it is there, a new machine of that name is turned away.
 */
export async function forgetNode(
  access: K3sAccess,
  ctx: StepContext,
  want: NodeWant,
  server: string,
): Promise<void> {
  const kube = await access.kube(want.cluster, server);
  const node = await ctx.waitFor(
    { what: `${server} to say whether it knows ${want.node}`, probe: "https", deadlineMs: 300_000 },
    async (signal): Promise<Seen<KubeNode | undefined>> => {
      try {
        return { done: true, value: await findNode(kube, want.node, signal) };
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof SlipwayError) return { done: false, seen: thrown.why };
        throw thrown;
      }
    },
  );
  if (node) {
    demandSameAddress(want, node);
    ctx.log("info", `${want.node} was here before: what the cluster remembers of it is removed`);
    await forgetObjects(kube, want.node, ctx.signal);
  }
  await waitUntilForgotten(access, ctx, { ...want, server, isServer: want.role === "server" });
}

export const findNode = (
  kube: KubeClient,
  name: string,
  signal?: AbortSignal,
): Promise<KubeNode | undefined> => kube.get<KubeNode>({ apiVersion: "v1", kind: "Node", name }, signal);

/** One that lives elsewhere under this name is not ours to remove. */
function demandSameAddress(want: NodeWant, node: KubeNode): void {
  const other = node.status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (other !== undefined && other !== want.address && isNodeReady(node)) throw nameTaken({ ...want, other });
}

/** K3s itself takes the member out of etcd before it lets the Node go; a password may outlive it. */
export async function waitUntilForgotten(
  access: K3sAccess,
  ctx: StepContext,
  { cluster, node, server, isServer }: { cluster: string; node: string; server: string; isServer: boolean },
): Promise<void> {
  const kube = await access.kube(cluster, server);
  await ctx.waitFor(
    {
      what: `the cluster to forget the old ${node}`,
      probe: "https",
      deadlineMs: 300_000,
      usualMs: 5_000,
      next: seeDoctor(cluster),
    },
    async (signal): Promise<Seen<true>> => {
      if (await findNode(kube, node, signal))
        return { done: false, seen: "its Node is still there: etcd has not let its member go" };
      if (await kube.delete(passwordSecret(node), { signal }))
        return { done: false, seen: "its password is still there" };
      if (!isServer) return { done: true, value: true };
      const members = await access.asking(cluster, hostOf(server), (supervisor) =>
        supervisor.members(signal),
      );
      const left = members.find(({ name }) => memberBelongsTo(name, node));
      if (left) return { done: false, seen: `etcd still has its member ${left.name}` };
      return { done: true, value: true };
    },
  );
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, "");

/** Members are called after their node, with eight digits behind it. */
export const memberBelongsTo = (member: string, node: string): boolean =>
  member.startsWith(`${node}-`) && /^[0-9a-f]{8}$/.test(member.slice(node.length + 1));
