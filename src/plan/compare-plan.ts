import { Semaphore } from "../lib/index.ts";
import type { StepId } from "./events.ts";
import { type Graph, type GraphNode, faceOf, type AnyResource, type ReadContext } from "./resource.ts";
import type { Change, Plan } from "./plan.ts";

const readsAtOnce = 64;

/**
 * Reads what exists of the graph and says what would have to be done. Changes nothing. Where the graph is a part of a
 * whole, things outside of it still tell whether those within them can exist.
 */
export async function comparePlan(
  graph: Graph,
  kinds: Map<string, AnyResource>,
  ctx: ReadContext,
  whole: Graph = graph,
): Promise<Plan> {
  const found = await readGraph(graph, kinds, ctx, whole);
  const changes: Change[] = [];
  const same: StepId[] = [];
  for (const node of graph) {
    const change = changeOf(node, kinds, found.get(node.id));
    if (change) changes.push(change);
    else same.push(node.id);
  }
  return { changes: withReturns(changes, graph), same, refused: [], found: Object.fromEntries(found) };
}

/**
 * What cannot be seen because the machine below it is off or moves to another address is not made: it comes back. The
 * whole of a cluster does when none of its machines is new.
 */
function withReturns(changes: Change[], graph: Graph): Change[] {
  const isMachine = ({ kind }: GraphNode): boolean => kind.endsWith("/machine");
  const touched = changes.filter(({ node }) => isMachine(node));
  const back = new Set(touched.filter(({ action }) => action === "update").map(({ node }) => node.id));
  const coming = new Set(touched.filter(({ action }) => action !== "update").map(({ node }) => node.cluster));
  const isBack = ({ cluster, node, within, isLasting, comesByItself }: GraphNode): boolean =>
    node === undefined
      ? (isLasting === true || comesByItself === true) &&
        !coming.has(cluster) &&
        graph.some((each) => each.cluster === cluster && back.has(each.id))
      : within?.some((id) => back.has(id)) === true;
  const isSilent = ({ action, isUnreachable }: Change): boolean =>
    action === "create" || isUnreachable === true;
  return changes.map((change) =>
    isSilent(change) && !isMachine(change.node) && isBack(change.node)
      ? { ...change, action: "create", consequence: "create", fields: [], have: undefined, returns: true }
      : change,
  );
}

/** What would be removed: every node of the graph that exists. */
export async function compareRemoval(
  graph: Graph,
  kinds: Map<string, AnyResource>,
  ctx: ReadContext,
): Promise<Plan> {
  const found = await readGraph(graph, kinds, ctx);
  const changes = graph
    .filter((node) => found.get(node.id) !== undefined)
    .map((node): Change => ({
      node,
      face: faceOf(node, kinds.get(node.kind)),
      action: "remove",
      consequence: "remove",
      fields: [],
      have: found.get(node.id),
      keeps: node.keeps,
      loses: node.loses,
      blocker: kinds.get(node.kind)?.removalBlocker?.(found.get(node.id)),
    }));
  return { changes, same: [], refused: [], found: Object.fromEntries(found) };
}

function changeOf(node: GraphNode, kinds: Map<string, AnyResource>, have: unknown): Change | undefined {
  const face = faceOf(node, kinds.get(node.kind));
  if (have === undefined) return { node, face, action: "create", consequence: "create", fields: [], have };
  const difference = resourceOf(kinds, node).compare(node.want, have);
  if (difference.same) return undefined;
  return {
    node: difference.facts ? { ...node, facts: { ...node.facts, ...difference.facts } } : node,
    face,
    action: difference.action,
    consequence: difference.consequence,
    fields: difference.fields,
    have,
    loses: difference.loses,
    keeps: difference.keeps,
    objections: difference.objections,
    leavesPods: difference.leavesPods,
    isUnreachable: difference.isUnreachable,
  };
}

export function resourceOf(kinds: Map<string, AnyResource>, node: GraphNode): AnyResource {
  const resource = kinds.get(node.kind);
  if (resource === undefined) throw new Error(`no resource of kind ${node.kind}`);
  return resource;
}

/** Everything that can exist is asked for at once; a thing within others only where one of them exists. */
async function readGraph(
  graph: Graph,
  kinds: Map<string, AnyResource>,
  ctx: ReadContext,
  whole: Graph = graph,
): Promise<Map<StepId, unknown>> {
  const reads = new Map<StepId, Promise<unknown>>();
  const byId = new Map(whole.map((node) => [node.id, node]));
  const places = new Semaphore(readsAtOnce);
  const read = (node: GraphNode): Promise<unknown> => {
    const known = reads.get(node.id);
    if (known) return known;
    const reading = readOne(node);
    reads.set(node.id, reading);
    return reading;
  };
  const readOne = async (node: GraphNode): Promise<unknown> => {
    if (node.within) {
      const outer = node.within.flatMap((id) => byId.get(id) ?? []);
      const around = await Promise.all(outer.map(read));
      if (around.every((have) => have === undefined)) return undefined;
    }
    return places.use(() => resourceOf(kinds, node).read(ctx, node.want));
  };
  const found = await Promise.all(graph.map(async (node) => [node.id, await read(node)] as const));
  return new Map(found);
}
