import type { KubeClient } from "../../../clients/kube/index.ts";
import { answeringServer, defineLeftover, forgetNode } from "../../kubernetes/index.ts";
import { removeNodeFile } from "./config-files.ts";
import type { TalosAccess } from "../talos-access.ts";

export interface NodeObjectWant {
  cluster: string;
  /** Where Kubernetes answers while the node goes. */
  servers: string[];
  node: string;
}

/** A node whose pods have to leave in time. */
export interface DrainWant extends NodeObjectWant {
  drainMs: number;
}

/** What Kubernetes remembers of a node that has left. Talos never removes it, so we do. */
export const talosNodeObject = (access: TalosAccess) =>
  defineLeftover<NodeObjectWant>({
    kind: "talos/node-object",
    face: { noun: "Kubernetes node" },

    async isThere(ctx, want) {
      const nodes = await (await answeringKube(access, want, ctx.signal)).nodes(ctx.signal);
      return nodes.some((node) => node.metadata.name === want.node);
    },

    async remove(ctx, have) {
      await forgetNode(await answeringKube(access, have, ctx.signal), have.node, ctx.signal);
      await removeNodeFile(access, have.cluster, have.node);
    },
  });

/** Kubernetes at the first of the servers that is ready. */
export async function answeringKube(
  access: TalosAccess,
  want: Pick<NodeObjectWant, "cluster" | "servers">,
  signal: AbortSignal,
): Promise<KubeClient> {
  return (await answeringServer((server) => access.kube(want.cluster, server), want.servers, signal)).kube;
}
