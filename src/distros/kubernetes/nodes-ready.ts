import { isNodeReady, type KubeNode } from "../../clients/kube/index.ts";
import type { Seen, StepContext } from "../../plan/index.ts";
import { seeDoctor } from "./wait-next.ts";

export interface NodesWant {
  cluster: string;
  endpoint: string;
  nodes: { name: string; address: string }[];
}

/** Waits until every node of the file is registered with Kubernetes and Ready. `look` lists them, and may help. */
export async function waitForNodes(
  ctx: StepContext,
  { cluster, nodes }: NodesWant,
  look: () => Promise<KubeNode[]>,
): Promise<KubeNode[]> {
  const all = nodes.length;
  return ctx.waitFor(
    {
      what: `${all} nodes to be Ready`,
      probe: "https",
      deadlineMs: 900_000,
      usualMs: 18_000,
      next: seeDoctor(cluster),
      // The answer grows with the cluster.
      everyMs: Math.max(250, all * 3),
    },
    async (): Promise<Seen<KubeNode[]>> => {
      const found = await look();
      const missing = notReady(nodes, found);
      if (missing.length === 0) return { done: true, value: found };
      ctx.progress(all - missing.length, all, "steps");
      return { done: false, seen: describe(all, missing, found) };
    },
  );
}

/** Names of those that Kubernetes does not know, or does not call Ready. */
export function notReady(nodes: NodesWant["nodes"], found: KubeNode[]): string[] {
  const ready = new Set(found.filter(isNodeReady).map((node) => node.metadata.name));
  return nodes.map((node) => node.name).filter((name) => !ready.has(name));
}

/** `4 of 6 Ready: worker-2 not registered, worker-3 not Ready`. */
function describe(all: number, missing: string[], found: KubeNode[]): string {
  const registered = new Set(found.map((node) => node.metadata.name));
  const named = missing
    .slice(0, 3)
    .map((name) => `${name} ${registered.has(name) ? "not Ready" : "not registered"}`);
  const rest = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return `${all - missing.length} of ${all} Ready: ${named.join(", ")}${rest}`;
}
