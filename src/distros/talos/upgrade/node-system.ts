import { isNodeReady, type KubeNode } from "../../../clients/kube/index.ts";
import type { TalosClient, TalosProbe } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { schematicId } from "../../../images/index.ts";
import { Semaphore } from "../../../lib/index.ts";
import type { Consequence, ReadContext } from "../../../plan/index.ts";
import { nodesAtOnce, unlessUnreachable } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";

/** What a node runs, as it says itself. */
export interface NodeSystem {
  version: string;
  /** Of the image factory; absent where the image was made without it. */
  schematic?: string | undefined;
}

/** The same with the config it runs with, which holds secrets and gets into no plan. */
export interface NodeReading {
  system: NodeSystem;
  config: string;
}

/** A node of a cluster, and where Kubernetes answers for it. */
export interface NodeTarget {
  cluster: string;
  endpoint: string;
  node: string;
  address: string;
}

/** Who is at the address of a node, and what it runs. */
export interface NodeAnswer {
  probe: TalosProbe;
  /** Absent while it does not answer, or is not ours. */
  reading?: NodeReading | undefined;
}

/**
 * A plan reads from nodes that ran before, over the connection that told who they are: to make one costs more than all that
 * is asked. While it is carried out, anybody may be at the address of a machine that has just been made, and only gets looked at.
 */
async function askNode(
  access: TalosAccess,
  { cluster, address }: NodeTarget,
  { signal, seen }: ReadContext,
): Promise<NodeAnswer> {
  const look = () => access.probe(cluster, address, signal);
  if (!(await access.findBundle(cluster))) return { probe: await look() };
  return access.using(cluster, address, async (node) => {
    const probe = await (seen === undefined ? look() : node.probe({ signal }));
    if (probe.state !== "ours") return { probe };
    const limits = { clock: access.world.clock, signal };
    return { probe, reading: await unlessUnreachable(limits, () => readingOf(node)) };
  });
}

export const readNode = (access: TalosAccess, want: NodeTarget): Promise<NodeReading> =>
  access.using(want.cluster, want.address, readingOf);

async function readingOf(node: TalosClient): Promise<NodeReading> {
  const [system, config = ""] = await Promise.all([systemOf(node), node.machineConfig()]);
  return { system, config };
}

export const readSystem = (access: TalosAccess, want: NodeTarget): Promise<NodeSystem> =>
  access.using(want.cluster, want.address, systemOf);

async function systemOf(node: TalosClient): Promise<NodeSystem> {
  const [{ version }, extensions] = await Promise.all([node.version(), node.extensions()]);
  const schematic = extensions.find(({ name }) => name === "schematic")?.version;
  return { version, schematic };
}

/** An image that tells none was built without extensions. */
export const sameSchematic = (left: string | undefined, right: string | undefined): boolean =>
  (left ?? plain) === (right ?? plain);

const plain = schematicId({});

/** Nodes as Kubernetes knows them, by name. Empty when it does not answer. */
export async function askKubeNodes(
  access: TalosAccess,
  { cluster, endpoint }: Pick<NodeTarget, "cluster" | "endpoint">,
): Promise<Map<string, KubeNode>> {
  if (!(await access.findBundle(cluster))) return new Map();
  try {
    const nodes = await (await access.kube(cluster, endpoint)).nodes();
    return new Map(nodes.map((node) => [node.metadata.name, node]));
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return new Map();
    throw thrown;
  }
}

/** Ready, and registered by the system that runs now: after a reboot Kubernetes goes on calling a node Ready for a while. */
export const isBackIn = (node: KubeNode | undefined, version: string): boolean =>
  node !== undefined && isNodeReady(node) && (node.status?.nodeInfo?.osImage ?? "").includes(version);

/** What steps of the same plan read of nodes and clusters. */
export interface NodeReads {
  node(ctx: ReadContext, want: NodeTarget): Promise<NodeAnswer>;
  kubeNodes(ctx: ReadContext, want: NodeTarget): Promise<Map<string, KubeNode>>;
  /** What a change means for a node that runs; nodes for which it is the same change are told by the first of them. */
  consequence(ctx: ReadContext, change: AskedChange): Promise<Consequence>;
}

interface AskedChange {
  /** Equal for the same change of the same version. */
  key: string;
  ask(): Promise<Consequence>;
}

/** For many steps of one plan the same is asked once; while a plan is carried out, every time. */
export function nodeReads(access: TalosAccess): NodeReads {
  const places = new Semaphore(nodesAtOnce);
  return {
    node: oncePerPlan(
      ({ cluster, node }) => `${cluster}/${node}`,
      (ctx, want) => places.use(() => askNode(access, want, ctx)),
    ),
    kubeNodes: oncePerPlan(
      ({ cluster }) => cluster,
      (_ctx, want) => askKubeNodes(access, want),
    ),
    consequence: oncePerPlan(
      ({ key }) => key,
      (_ctx, { ask }) => ask(),
    ),
  };
}

function oncePerPlan<Want, T>(
  keyOf: (want: Want) => string,
  ask: (ctx: ReadContext, want: Want) => Promise<T>,
): (ctx: ReadContext, want: Want) => Promise<T> {
  const plans = new WeakMap<ReadContext, Map<string, Promise<T>>>();
  return (ctx, want) => {
    if (ctx.seen === undefined) return ask(ctx, want);
    const asked = plans.get(ctx) ?? new Map<string, Promise<T>>();
    plans.set(ctx, asked);
    const key = keyOf(want);
    const answer = asked.get(key) ?? ask(ctx, want);
    asked.set(key, answer);
    return answer;
  };
}
