import {
  comparePlan,
  type Change,
  type Graph,
  type GraphNode,
  type Move,
  type OwnedMachine,
  type Survey,
} from "../../plan/index.ts";
import { nodeNameOf } from "../../spec/index.ts";
import { describeFleet } from "../plan.ts";
import { readContext } from "../planning/assemble.ts";
import { clustersOf, type MoveFacts } from "./plan-moves.ts";

/** What has to be told to nodes because they stand elsewhere, and what `up` has to do instead. */
export interface Following {
  steps: Graph;
  /** Nodes that need more than that can be done in passing. */
  left: string[];
}

/**
 * A node is labelled with the place its machine is in, and the label follows the machine. Only that: where the file and a
 * node differ in something else already, or where it takes more than a word to the node, it is left to `up`.
 */
export async function followMoves(known: MoveFacts, moves: Move[]): Promise<Following> {
  const { fleet, parts, survey, world } = known;
  const clusters = clustersOf(fleet, moves);
  const isAbout = ({ stage, cluster, node }: GraphNode): boolean =>
    (stage === "distro" || stage === "kubernetes") &&
    (node === undefined ||
      moves.some(({ outlook: { machine } }) => machine.cluster === cluster && machine.node === node));
  const describe = async (seen: Survey) => (await describeFleet(fleet, clusters, seen, parts)).graph;
  const [whole, later] = await Promise.all([describe(survey), describe(moved(survey, moves))]);
  const after = later.filter(isAbout);
  const compare = (graph: Graph) => comparePlan(graph, parts.kinds, readContext(world, survey), whole);
  const [now, then] = await Promise.all([compare(whole.filter(isAbout)), compare(after)]);
  const pending = new Set(now.changes.map(({ node }) => node.id));
  const isEasy = ({ node, consequence }: Change): boolean => !pending.has(node.id) && consequence === "hot";
  const easy = new Set(then.changes.filter(isEasy).map(({ node }) => node.id));
  return {
    steps: after.filter(({ id }) => easy.has(id)),
    left: then.changes.flatMap(({ node }) => (easy.has(node.id) ? [] : (node.node ?? []))),
  };
}

/** The same, as if the moves were done. */
function moved(survey: Survey, moves: Move[]): Survey {
  const targets = new Map(moves.map(({ outlook, to }) => [outlook.machine, to]));
  const machines = survey.machines.map((machine): OwnedMachine => {
    const to = targets.get(machine);
    return to ? { ...machine, host: to.name, on: nodeNameOf(to) } : machine;
  });
  return { ...survey, machines };
}
