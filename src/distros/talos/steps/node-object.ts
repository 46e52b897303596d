import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same } from "../../../plan/index.ts";
import { removeNodeFile } from "./config-files.ts";
import type { TalosAccess } from "./talos-access.ts";

export interface NodeObjectWant {
  cluster: string;
  endpoint: string;
  node: string;
}

/** What Kubernetes remembers of a node that has left. Talos never removes it, so we do. */
export const talosNodeObject = (access: TalosAccess) =>
  defineResource<NodeObjectWant, NodeObjectWant>({
    kind: "talos/node-object",

    async read(_ctx, want) {
      try {
        const nodes = await (await access.kube(want.cluster, want.endpoint)).nodes();
        return nodes.some((node) => node.metadata.name === want.node) ? want : undefined;
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: () => same,
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,

    async remove(_ctx, have) {
      const kube = await access.kube(have.cluster, have.endpoint);
      await kube.deleteNode(have.node);
      await removeNodeFile(access, have.cluster, have.node);
    },
  });
