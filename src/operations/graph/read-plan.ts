import {
  actionMarks,
  noteOf,
  type LeftoverMachine,
  type MarkedAddon,
  type NodeFinding,
  type PlanMark,
  type ReadCluster,
  type Readings,
} from "../../exports/graph/index.ts";
import { machineStep, nameOfStep, type Change, type OwnedMachine } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { hostsOf } from "../planning/assemble.ts";
import type { FleetPlan } from "../plan.ts";
import { leftoverOf, leftoversOf } from "./leftovers.ts";
import { fileCluster } from "./read-file.ts";

/** What the plan would do with each machine and add-on. */
export function readPlan(fleet: Fleet, found: FleetPlan, world: Pick<World, "distributions">): Readings {
  return {
    from: "plan",
    hosts: hostsOf(fleet, found.clusters),
    hostFindings: Object.fromEntries(found.survey.hosts.map(({ host, software }) => [host, { software }])),
    clusters: found.clusters.map((cluster) => plannedCluster(fileCluster(cluster, world), cluster, found)),
  };
}

function plannedCluster(base: ReadCluster, cluster: Cluster, found: FleetPlan): ReadCluster {
  const { placed, plan } = found;
  const held = plan.refused.find(({ holds }) => holds === cluster.name);
  return {
    ...base,
    placed: placed.get(cluster.name) ?? [],
    nodes: Object.fromEntries(
      cluster.nodes.map((node) => [node.name, nodeFinding(cluster.name, node.name, found)]),
    ),
    leftovers: leftoversOf(cluster.name, cluster, found.survey).map((machine) => removed(machine, found)),
    addons: addonsOf(cluster, found),
    ...(held && { mark: "refused", note: held.why }),
  };
}

function nodeFinding(cluster: string, node: string, { plan, graph }: FleetPlan): NodeFinding {
  const own = plan.changes.filter(
    (change) => change.node.cluster === cluster && change.node.node === node && !change.returns,
  );
  const steps = new Set(
    graph.filter((each) => each.cluster === cluster && each.node === node).map(({ id }) => id),
  );
  const refused = plan.refused.find(({ step }) => steps.has(step));
  const machine = machineStep(cluster, node);
  const vmid = graph.find(({ id }) => id === machine)?.facts?.["vmid"];
  const told = typeof vmid === "number" ? { vmid } : {};
  if (refused) return { ...told, mark: "refused", note: refused.why };
  const made = own.find((change) => change.node.id === machine && change.action !== "update");
  if (made) return { ...told, ...marked(actionMarks[made.action], [made]) };
  return { ...told, ...(own.length === 0 ? { mark: "same" } : marked("change", own)) };
}

/** A mark with what differs, each said once. */
function marked(mark: PlanMark, changes: Change[]): Pick<NodeFinding, "mark" | "note"> {
  const notes = [...new Set(changes.flatMap((change) => noteOf(change) ?? []))];
  return { mark, ...(notes.length > 0 && { note: notes.join("; ") }) };
}

function removed(machine: OwnedMachine, { plan }: FleetPlan): LeftoverMachine {
  const id = machineStep(machine.cluster, machine.node);
  const change = plan.changes.find((each) => each.node.id === id && each.action === "remove");
  const refused = plan.refused.find(({ step }) => step === id);
  if (refused) return leftoverOf(machine, "refused", refused.why);
  return change
    ? leftoverOf(machine, "remove", change.keeps === undefined ? undefined : `keeps ${change.keeps}`)
    : leftoverOf(machine, "leftover");
}

/** Those of the file, and those that leave. */
function addonsOf(cluster: Cluster, { plan }: FleetPlan): MarkedAddon[] {
  const own = plan.changes.filter(({ node }) => node.cluster === cluster.name && node.group === "addons");
  const byName = new Map(own.map((change) => [nameOfStep(change.node.id), change]));
  const known = cluster.addons.map(({ id }): MarkedAddon => {
    const change = byName.get(id);
    return { name: id, mark: change && !change.returns ? actionMarks[change.action] : "same" };
  });
  const ids = new Set(cluster.addons.map(({ id }) => id));
  const leaving = own
    .filter(({ node, action }) => action === "remove" && !ids.has(nameOfStep(node.id)))
    .map(({ node }): MarkedAddon => ({ name: nameOfStep(node.id), mark: "remove" }));
  return [...known, ...leaving];
}
