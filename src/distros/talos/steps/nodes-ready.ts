import { isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same, type Seen } from "../../../plan/index.ts";
import { approveServingCertificates, type KnownNode } from "./serving-certificates.ts";
import type { TalosAccess } from "./talos-access.ts";
import { seeDoctor } from "./wait-next.ts";

export interface NodesWant {
  cluster: string;
  endpoint: string;
  nodes: KnownNode[];
}

export interface NodesHave {
  ready: number;
}

/** Every node of the file is registered with Kubernetes and Ready. */
export const talosNodesReady = (access: TalosAccess) =>
  defineResource<NodesWant, NodesHave>({
    kind: "talos/nodes",

    async read(_ctx, want) {
      try {
        const missing = notReady(want, await listNodes(access, want));
        return missing.length === 0 ? { ready: want.nodes.length } : undefined;
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: () => same,

    create: (ctx, want) =>
      ctx.waitFor(
        {
          what: `${want.nodes.length} nodes to be Ready`,
          probe: "https",
          deadlineMs: 900_000,
          usualMs: 18_000,
          next: seeDoctor(want.cluster),
          // The answer grows with the cluster.
          everyMs: Math.max(250, want.nodes.length * 3),
        },
        async (): Promise<Seen<NodesHave>> => {
          const nodes = await listNodes(access, want);
          for (const node of await approve(access, want))
            ctx.log("info", `approved the serving certificate of ${node}`);
          const missing = notReady(want, nodes);
          if (missing.length === 0) return { done: true, value: { ready: want.nodes.length } };
          ctx.progress(want.nodes.length - missing.length, want.nodes.length, "steps");
          return { done: false, seen: describe(want.nodes.length, missing, nodes) };
        },
      ),

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

function notReady(want: NodesWant, nodes: KubeNode[]): string[] {
  const ready = new Set(nodes.filter(isNodeReady).map((node) => node.metadata.name));
  return want.nodes.map((node) => node.name).filter((name) => !ready.has(name));
}

/** `4 of 6 Ready: worker-2 not registered, worker-3 not Ready`. */
function describe(all: number, missing: string[], nodes: KubeNode[]): string {
  const registered = new Set(nodes.map((node) => node.metadata.name));
  const named = missing
    .slice(0, 3)
    .map((name) => `${name} ${registered.has(name) ? "not Ready" : "not registered"}`);
  const rest = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return `${all - missing.length} of ${all} Ready: ${named.join(", ")}${rest}`;
}
