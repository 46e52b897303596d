import type { KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same } from "../../../plan/index.ts";
import { notReady, waitForNodes, type NodesWant } from "../../kubernetes/index.ts";
import { approveServingCertificates } from "./serving-certificates.ts";
import type { TalosAccess } from "./talos-access.ts";

export interface NodesHave {
  ready: number;
}

/** Every node of the file is registered with Kubernetes and Ready. */
export const talosNodesReady = (access: TalosAccess) =>
  defineResource<NodesWant, NodesHave>({
    kind: "talos/nodes",

    async read(_ctx, want) {
      try {
        const missing = notReady(want.nodes, await listNodes(access, want));
        return missing.length === 0 ? { ready: want.nodes.length } : undefined;
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: () => same,

    async create(ctx, want) {
      await waitForNodes(ctx, want, async () => {
        const nodes = await listNodes(access, want);
        for (const node of await approve(access, want))
          ctx.log("info", `approved the serving certificate of ${node}`);
        return nodes;
      });
      return { ready: want.nodes.length };
    },

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ ready: have.ready }),
  });

async function approve(access: TalosAccess, want: NodesWant): Promise<string[]> {
  return approveServingCertificates(await access.kube(want.cluster, want.endpoint), want.nodes);
}

async function listNodes(access: TalosAccess, want: NodesWant): Promise<KubeNode[]> {
  return (await access.kube(want.cluster, want.endpoint)).nodes();
}
