import type { KubeClient, KubeObject } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { defineResource, same, type Graph, type GraphNode, type StepId } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { Restores } from "../planning/made-again.ts";
import { controllerKinds, outgoingTo, quietPatch } from "./outgoing.ts";

interface QuietWant {
  cluster: string;
  /** The cluster it is a copy of. */
  of: string;
}

interface QuietHave {
  /** How many still write to the outside. */
  left: number;
  stopped: string[];
}

interface QuietWorld {
  clusterNamed(name: string): Cluster | undefined;
  openKube(cluster: Cluster): Promise<KubeClient | undefined>;
}

const kind = "restore/quiet-controllers";
const stepOf = (cluster: string): StepId => `${cluster}/restore/quiet`;

/**
 * What a copy of a running cluster does first: controllers that write to the outside are stopped before a worker joins, so
 * that they do not fight those of the original.
 */
export const quietControllers = ({ clusterNamed, openKube }: QuietWorld) => {
  const kubeOf = async (name: string): Promise<KubeClient | undefined> => {
    const cluster = clusterNamed(name);
    return cluster && openKube(cluster);
  };
  const vipOf = ({ cluster }: QuietWant) => clusterNamed(cluster)?.network.vip;
  const stop = async (want: QuietWant, signal: AbortSignal, log: (text: string) => void) => {
    const kube = await kubeOf(want.cluster);
    if (!kube) throw new Error(`${want.cluster} has no API yet`);
    const stopped: string[] = [];
    for (const { object, to } of await outgoingIn(kube, vipOf(want), signal)) {
      const { apiVersion, kind: what, metadata } = object;
      const { name, namespace = "" } = metadata;
      await kube.patch({ apiVersion, kind: what, name, namespace }, quietPatch(object), { signal });
      stopped.push(`${namespace}/${name}`);
      log(`stopped ${what} ${namespace}/${name}, which writes to ${to}`);
    }
    await forgetOriginals(kube, want, signal);
    return { left: 0, stopped };
  };
  /** Machines of the original are none of the copy; what the backup had on them is started elsewhere. */
  const forgetOriginals = async (kube: KubeClient, want: QuietWant, signal: AbortSignal): Promise<void> => {
    const own = new Set(clusterNamed(want.cluster)?.nodes.map(({ name }) => name));
    for (const { metadata } of await kube.nodes(signal))
      if (!own.has(metadata.name)) await kube.deleteNode(metadata.name, signal);
  };
  return defineResource<QuietWant, QuietHave>({
    kind,
    face: () => ({
      noun: "controllers",
      label: "controllers",
      inText: "controllers that write to the outside",
    }),
    async read({ signal }, want) {
      try {
        const kube = await kubeOf(want.cluster);
        return kube && { left: (await outgoingIn(kube, vipOf(want), signal)).length, stopped: [] };
      } catch (thrown) {
        signal.throwIfAborted();
        // There is no cluster yet.
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },
    compare: (_want, { left }) =>
      left === 0
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "writing to the outside", from: String(left), to: "0" }],
          },
    create: (ctx, want) => stop(want, ctx.signal, (text) => ctx.log("info", text)),
    update: (ctx, want) => stop(want, ctx.signal, (text) => ctx.log("info", text)),
    remove: () => Promise.resolve(),
    out: ({ stopped }) => ({ stopped: stopped.length }),
  });
};

/** All that would write to the outside of a cluster, and to what. */
async function outgoingIn(
  kube: KubeClient,
  ownAddress: string | undefined,
  signal: AbortSignal,
): Promise<{ object: KubeObject; to: string }[]> {
  const lists = await Promise.all(controllerKinds.map((each) => kube.list(each, signal)));
  return lists.flatMap(({ items }, index) =>
    items.flatMap((item) => {
      // Items of a list do not say what they are.
      const object = { ...controllerKinds[index], ...item };
      const to = outgoingTo(object, ownAddress);
      return to === undefined ? [] : [{ object, to }];
    }),
  );
}

/** Of a copy of another cluster the same graph with the step in it: right after the API answers, before anything of a worker. */
export function withQuietControllers(
  cluster: Cluster,
  graph: Graph,
  restores: Restores | undefined,
  apiStep: StepId | undefined,
): Graph {
  const of = restores?.cluster === cluster.name ? restores.copyOf : undefined;
  if (of === undefined || apiStep === undefined) return graph;
  const quiet: GraphNode<QuietWant> = {
    id: stepOf(cluster.name),
    kind,
    name: "controllers that write to the outside",
    title: "Stop controllers that write to the outside",
    want: { cluster: cluster.name, of },
    after: [apiStep],
    within: [apiStep],
    group: "cluster",
    stage: "kubernetes",
    cluster: cluster.name,
    usualMs: 2_000,
    facts: { original: of },
  };
  const workers = new Set(cluster.nodes.filter(({ role }) => role === "worker").map(({ name }) => name));
  const waits = ({ node }: GraphNode): boolean => node !== undefined && workers.has(node);
  return [
    ...graph.map((node) => (waits(node) ? { ...node, after: [...node.after, quiet.id] } : node)),
    quiet,
  ];
}
