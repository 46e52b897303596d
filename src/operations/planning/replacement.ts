import {
  archiveText,
  faceOf,
  type AnyResource,
  type Change,
  type Graph,
  type GraphNode,
  type LeftoverNode,
  type OwnedMachine,
  type Plan,
  type StepId,
  type Survey,
} from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { formatMiB, formatNumber } from "../../views/index.ts";
import type { Parts } from "./assemble.ts";
import type { Archives, MadeAgain, Replaced } from "./made-again.ts";

export const isReplaced = (replaced: Replaced, of: { cluster: string; node?: string | undefined }): boolean =>
  of.node !== undefined && replaced.has(`${of.cluster}/${of.node}`);

/** Nodes that have their system: what comes from a backup has its keys and its config on its disk too. */
export function standingNodes(
  { name: cluster, nodes }: Cluster,
  machines: OwnedMachine[],
  { replaced, archives }: Pick<MadeAgain, "replaced" | "archives">,
): string[] {
  const there = new Set(machines.filter((each) => each.cluster === cluster).map(({ node }) => node));
  const isStanding = (name: string): boolean =>
    archives?.has(`${cluster}/${name}`) === true || (there.has(name) && !replaced.has(`${cluster}/${name}`));
  return nodes.map(({ name }) => name).filter(isStanding);
}

/** Not the step that makes the machine: that one comes later in the same plan. */
const oldMachineStep = (cluster: string, node: string): StepId => `${cluster}/old-machine/${node}`;

/** What goes of nodes that are made again: their machine, and what they have to leave behind before and after it. */
export function describeReplaced(
  clusters: Cluster[],
  survey: Survey,
  { provider, distribution }: Pick<Parts, "provider" | "distribution">,
  planned: Graph,
  { replaced, archives }: Pick<MadeAgain, "replaced" | "archives">,
): { machines: Graph; objects: Graph } {
  if (replaced.size === 0) return { machines: [], objects: [] };
  const images = new Set(survey.images.map((image) => image.file));
  const scope = { losesData: false, clusters: [] };
  const machines = provider
    .describeLeftovers(survey, (machine) => isReplaced(replaced, machine), images, scope, planned)
    .filter((each) => isReplaced(replaced, each))
    .map((each) => ({
      ...each,
      id: oldMachineStep(each.cluster, each.node ?? ""),
      title: `Remove the old machine of ${each.node ?? ""}`,
      facts: {
        ...each.facts,
        weak: missingMeanwhile(clusters, survey, each),
        backup: backupOf(archives, each),
      },
    }));
  const objects = clusters.flatMap((cluster) => {
    const leaving = cluster.nodes
      .filter((node) => replaced.has(`${cluster.name}/${node.name}`))
      .map(({ name, role }): LeftoverNode => ({
        node: name,
        role,
        isOff: !isOn(survey, cluster.name, name),
        comesBack: true,
      }));
    return distribution.describeLeftovers(cluster, leaving, (node) => oldMachineStep(cluster.name, node));
  });
  return { machines, objects };
}

const backupOf = (archives: Archives | undefined, { cluster, node }: GraphNode): string | undefined => {
  const found = archives?.get(`${cluster}/${node ?? ""}`);
  return found && archiveText(found);
};

/**
 * What pods do without until the new machine has joined. It cannot come first: name, address, number and data disks are
 * those of the old one.
 */
function missingMeanwhile(
  clusters: Cluster[],
  survey: Survey,
  { cluster: name, node: gone = "" }: GraphNode,
): string | undefined {
  const workers = clusters.find((each) => each.name === name)?.nodes.filter(({ role }) => role === "worker");
  const node = workers?.find((each) => each.name === gone);
  if (!workers || !node || !isOn(survey, name, gone)) return undefined;
  const size = `${formatNumber(node.cores, "core")}, ${formatMiB(node.memoryMiB)}`;
  return `${workers.length - 1} of ${formatNumber(workers.length, "worker")} until ${gone} is back: ${size} less`;
}

const isOn = ({ machines }: Survey, cluster: string, node: string): boolean =>
  machines.some((each) => each.cluster === cluster && each.node === node && each.isRunning);

/** A plan in which all that belongs to these nodes is made, whatever is there of it now, and waited for again. */
export function madeAnew(
  plan: Plan,
  wanted: Graph,
  kinds: ReadonlyMap<string, AnyResource>,
  replaced: Replaced,
): Plan {
  if (replaced.size === 0) return plan;
  const own = new Set(wanted.filter((node) => isReplaced(replaced, node)).map(({ id }) => id));
  const isNew = ({ id, after, comesByItself }: GraphNode): boolean =>
    own.has(id) || (comesByItself === true && after.some((before) => own.has(before)));
  const known = new Map(plan.changes.map((change) => [change.node.id, change]));
  const changes = wanted.flatMap((node): Change[] => {
    const face = faceOf(node, kinds.get(node.kind));
    if (isNew(node))
      return [{ node, face, action: "create", consequence: "create", fields: [], have: undefined }];
    const change = known.get(node.id);
    return change ? [change] : [];
  });
  const fresh = new Set(wanted.filter(isNew).map(({ id }) => id));
  return {
    ...plan,
    changes,
    same: plan.same.filter((id) => !fresh.has(id)),
    found: Object.fromEntries(Object.entries(plan.found).filter(([id]) => !fresh.has(id))),
  };
}

/** The old machine goes for the sake of the new one, and is told so. */
export const toldAsReplaced = (removal: Plan): Plan => ({
  ...removal,
  changes: removal.changes.map((change) =>
    change.node.id === oldMachineStep(change.node.cluster, change.node.node ?? "")
      ? { ...change, consequence: "replace" }
      : change,
  ),
});
