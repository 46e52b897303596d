import {
  comparePlan,
  type Change,
  type Graph,
  type GraphNode,
  type Move,
  type OwnedMachine,
  type StepId,
  type Survey,
} from "../../plan/index.ts";
import { nodeNameOf, type Host } from "../../spec/index.ts";
import { describeFleet } from "../planning/describe-fleet.ts";
import { readContext } from "../planning/assemble.ts";
import type { MoveFacts } from "./plan-moves.ts";

/** What has to be told to nodes because they stand elsewhere, and what `up` has to do instead. */
export interface Following {
  steps: Graph;
  /** Nodes that need more than that can be done in passing. */
  left: string[];
}

/**
 * A node is labelled with the place its machine is in, and the label follows the machine, also one that a run which was cut has
 * moved. Only that: where the file and a node differ in something else, or where it takes more than a word to the node, it is
 * left to `up`.
 */
export async function followMoves(known: MoveFacts, moves: Move[]): Promise<Following> {
  const { survey } = known;
  const [now, then] = await Promise.all([
    differences(known, survey),
    differences(known, placed(survey, new Map(moves.map(({ outlook, to }) => [outlook.machine, to])))),
  ]);
  const pending = new Set(now.changes.map(({ node }) => node.id));
  for (const id of await movedBefore(known, now.changes)) pending.delete(id);
  const isHot = ({ consequence }: Change): boolean => consequence === "hot";
  const ofNodes = then.changes.filter(({ node }) => node.node !== undefined);
  const easy = ofNodes.filter((change) => isHot(change) && !pending.has(change.node.id));
  const isWhole = ({ node }: Change): boolean =>
    ofNodes.every((change) => change.node.cluster !== node.cluster || easy.includes(change));
  const ofClusters = then.changes.filter(
    (change) => change.node.node === undefined && isHot(change) && isWhole(change),
  );
  const ids = new Set([...easy, ...ofClusters].map(({ node }) => node.id));
  const isMoving = ({ cluster, node }: GraphNode): boolean =>
    moves.some(({ outlook: { machine } }) => machine.cluster === cluster && machine.node === node);
  return {
    steps: then.graph.filter(({ id }) => ids.has(id)),
    left: ofNodes.flatMap(({ node }) => (ids.has(node.id) || !isMoving(node) ? [] : (node.node ?? []))),
  };
}

/** What differs from the file on the nodes of this host's clusters, if the machines stood so. */
async function differences({ fleet, host, parts, survey, world }: MoveFacts, seen: Survey) {
  const clusters = fleet.clusters.filter(({ on }) => on.includes(host.name));
  const [then, now] = await Promise.all(
    [seen, survey].map((each) => describeFleet(fleet, clusters, each, parts)),
  );
  const graph = (then?.graph ?? []).filter(({ stage }) => stage === "distro" || stage === "kubernetes");
  // What stands on a machine is looked for where the machine is.
  const { changes } = await comparePlan(graph, parts.kinds, readContext(world, survey), now?.graph);
  return { graph, changes };
}

/** Steps of nodes that are as the file says, but for the place where their machine stood before it came here. */
async function movedBefore(known: MoveFacts, pending: Change[]): Promise<StepId[]> {
  const { fleet, host, survey } = known;
  const suspects = pending.filter(
    ({ node, consequence }) => node.node !== undefined && consequence === "hot",
  );
  if (suspects.length === 0) return [];
  const others = fleet.hosts.filter(({ provider }) => provider === host.provider);
  const explained = await Promise.all(
    others.map(async (other) => {
      const there = survey.machines.filter(
        (machine) =>
          machine.host !== other.name &&
          suspects.some(({ node }) => node.cluster === machine.cluster && node.node === machine.node),
      );
      const targets = new Map(there.map((machine) => [machine, other]));
      const { changes } = await differences(known, placed(survey, targets));
      const left = new Set(changes.map(({ node }) => node.id));
      return suspects.flatMap(({ node }) => (left.has(node.id) ? [] : [node.id]));
    }),
  );
  return explained.flat();
}

/** The same, as if these machines stood there. */
function placed(survey: Survey, targets: Map<OwnedMachine, Host>): Survey {
  const machines = survey.machines.map((machine): OwnedMachine => {
    const to = targets.get(machine);
    return to ? { ...machine, host: to.name, on: nodeNameOf(to) } : machine;
  });
  return { ...survey, machines };
}
