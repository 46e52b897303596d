import { readFile } from "node:fs/promises";
import path from "node:path";
import { describeCause, errorData, SlipwayError } from "../../errors/index.ts";
import {
  approvalOf,
  careFor,
  factsOf,
  isApproved,
  planFile,
  planFleet,
  upFleet,
  verifyFleet,
  type FleetPlan,
  type PlanApproval,
  type PlanFile,
  type PlanRequest,
} from "../../operations/index.ts";
import type { Host } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { noLongerApproved } from "../errors.ts";
import type { Requeue } from "../machinery/index.ts";
import { applyOf, runLimitOf } from "../objects/index.ts";
import type { Findings } from "./conditions.ts";
import type { Controller } from "./context.ts";
import { holdObject, removeCluster } from "./deletion.ts";
import { loadCluster, type Loaded } from "./load-cluster.ts";
import { decide } from "./policy.ts";
import { publishAccess } from "./secrets/published.ts";
import { tellCluster } from "./tell-cluster.ts";

/** How long a cluster that is as asked for is left alone. */
const resyncMs = 10 * 60_000;
const careMs = 60 * 60_000;
const runningMs = 60_000;
const crowdedMs = 15_000;

/** Keep one cluster as its object says: look, plan, ask the policy, run, tell. Waits are left to the queue. */
export async function reconcileCluster(name: string, controller: Controller): Promise<Requeue | undefined> {
  const object = controller.clusters.get(name);
  if (!object) return forget(name, controller);
  const run = controller.runs.get(name);
  if (run) {
    if (object.spec.paused === true) run.halt("the object is paused");
    if (object.metadata.deletionTimestamp !== undefined && run.command !== "down")
      run.halt("the object is deleted");
    await tellCluster(controller, object, { running: { command: run.command, progress: run.progress() } });
    return { afterMs: runningMs, priority: "repair" };
  }
  if (object.metadata.deletionTimestamp !== undefined) return removeCluster(object, controller);
  try {
    await holdObject(object, controller);
    const loaded = await loadCluster(object, controller);
    return await bringAbout(loaded, controller);
  } catch (thrown) {
    await tellCluster(controller, object, { problem: problemOf(thrown) });
    throw thrown;
  }
}

function forget(name: string, controller: Controller): undefined {
  const { nodes, queue, runs, failures, caredAt, published, lastRuns, machines } = controller;
  runs.get(name)?.halt("the object is gone");
  for (const known of [caredAt, published, lastRuns, machines]) known.delete(name);
  controller.forgetFiles(name);
  failures.forget(name);
  nodes.forget(name);
  queue.forget(name);
}

/** Whoever does not answer may be well; anything else is for somebody to mend. */
function problemOf(thrown: unknown): Findings["problem"] {
  const isUnreachable =
    thrown instanceof SlipwayError && (thrown.transient || thrown.code === "RUN_HOSTS_SILENT");
  return { error: errorData(thrown), isUnreachable };
}

async function bringAbout(loaded: Loaded, controller: Controller): Promise<Requeue | undefined> {
  const { object, cluster, group } = loaded;
  const planned = await planCluster(loaded, controller);
  const file = fileOf(loaded, planned);
  await openAccess(loaded, controller);
  observe(loaded, planned, controller);
  const due = planned.plan.changes.filter(({ waits }) => waits === undefined);
  const [waiting] = planned.plan.changes.flatMap(({ waits }) => waits ?? []);
  const found = {
    ...{ plan: file, changes: planned.plan.changes.length },
    wanted: { cluster, provider: group.fleet.hosts.find(({ name }) => cluster.on.includes(name))?.provider },
    waitsUntil: due.length === 0 ? waiting?.text : undefined,
    refused: planned.plan.refused[0] && refusalText(planned.plan.refused[0]),
  };
  if (due.length === 0) {
    const failure = await unhealthy(loaded, controller);
    await tellCluster(controller, object, { ...found, failure: failure?.text });
    if (failure) return { afterMs: failure.restMs, priority: "repair" };
    await lookAfter(loaded, controller);
    const restMs = waiting ? Math.max(1_000, waiting.untilMs - controller.world.clock.now()) : Infinity;
    return { afterMs: Math.min(restMs, controller.queue.spread(resyncMs)), priority: "resync" };
  }
  const decision = decide(object, file, approvalOf(file));
  const failure = controller.failures.recent(object);
  if (decision.does === "wait" || failure) {
    await tellCluster(controller, object, { ...found, decision, failure: failure?.text });
    const afterMs = failure?.restMs ?? controller.queue.spread(resyncMs);
    return { afterMs, priority: failure ? "repair" : "resync" };
  }
  if (isCrowded(loaded, controller)) {
    await tellCluster(controller, object, found);
    return { afterMs: controller.queue.spread(crowdedMs), priority: "repair" };
  }
  const run = startUp(loaded, file, decision.approval, controller);
  const running = { command: run.command, progress: run.progress() };
  await tellCluster(controller, object, { ...found, decision, running, approved: decision.approval });
  return { afterMs: runningMs, priority: "repair" };
}

/** All is made, but the last run did not end well: it counts as healthy when the checks say so, and not before. */
async function unhealthy(
  { object, group, world }: Loaded,
  { failures, lastRuns }: Controller,
): Promise<{ text: string; restMs: number } | undefined> {
  const { name } = object.metadata;
  const { outcome, command } = lastRuns.get(name) ?? object.status?.lastRun ?? {};
  if (outcome !== "failed" || command !== "up" || failures.isVerified(name)) return undefined;
  const known = failures.recent(object);
  if (known) return known;
  const failed: string[] = [];
  const tell: World["tell"] = (event) => {
    if (event.type === "check" && event.status === "failed") failed.push(event.failing ?? event.title);
  };
  const report = await verifyFleet({ fleet: group.fleet, clusters: [name] }, { ...world, tell });
  if (report.outcome === "done") failures.clear(name);
  else failures.note(object, `it is not healthy since the last run: ${failed.slice(0, 5).join(", ")}`);
  return failures.recent(object);
}

const requestOf = ({ object, group }: Loaded): PlanRequest => ({
  fleet: group.fleet,
  selection: { cluster: object.metadata.name },
  until: "addons",
  acceptDataLoss: object.spec.acceptDataLoss ?? [],
});

async function planCluster(loaded: Loaded, { observer, world }: Controller): Promise<FleetPlan> {
  const startedAt = world.clock.now();
  try {
    const survey = (hosts: Host[]) => loaded.group.survey(hosts);
    const planned = await planFleet({ ...requestOf(loaded), survey }, loaded.world);
    observer.planned("done", world.clock.now() - startedAt);
    return planned;
  } catch (thrown) {
    observer.planned("failed", world.clock.now() - startedAt);
    throw thrown;
  }
}

/** What an approval is bound to: this cluster and its hosts. Others of the fleet may change without asking anew. */
function fileOf(loaded: Loaded, { plan }: Pick<FleetPlan, "plan">): PlanFile {
  const { cluster, group, world } = loaded;
  const hosts = group.fleet.hosts.filter(({ name }) => cluster.on.includes(name));
  const fleet = { ...group.fleet, hosts, clusters: [cluster] };
  const madeAt = new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
  return planFile({ ...requestOf(loaded), fleet }, plan, { slipway: world.slipway, madeAt });
}

/** Watches its nodes and publishes its kubeconfig, once it has one. */
async function openAccess({ object, cluster, world }: Loaded, controller: Controller): Promise<void> {
  const file = path.join(world.folder, cluster.name, "kubeconfig");
  const kubeconfig = await readFile(file, "utf8").catch(() => undefined);
  if (kubeconfig === undefined) return;
  const { client, namespace } = controller.world;
  controller.nodes.follow(cluster.name, kubeconfig, world.dialFor(cluster.name));
  const before = controller.published.get(cluster.name);
  controller.published.set(cluster.name, await publishAccess(client, object, namespace, kubeconfig, before));
  await controller.nodes.settled(cluster.name);
}

/** For metrics: what the plan and the nodes say. */
function observe({ object, cluster }: Loaded, { plan }: FleetPlan, { observer, nodes }: Controller): void {
  const seen = nodes.seen(object.metadata.name);
  observer.seen(object, {
    changes: plan.changes.map(({ node }) => ({ kind: node.kind })),
    nodes: seen.state === "seen" ? seen.nodes : [],
    wanted: Object.fromEntries(factsOf(cluster).upgrades?.map(({ name, wanted }) => [name, wanted]) ?? []),
  });
}

/** Certificates, backups and the database change slowly: they are looked at once an hour, when nothing else is to be done. */
async function lookAfter(
  { object, group, world }: Loaded,
  { observer, caredAt, world: { clock, log } }: Controller,
): Promise<void> {
  const { name } = object.metadata;
  if (clock.now() - (caredAt.get(name) ?? -Infinity) < careMs) return;
  caredAt.set(name, clock.now());
  const care = await careFor({ fleet: group.fleet, cluster: name }, world).catch((thrown: unknown) =>
    log("warn", `${name}: certificates and backups were not looked at: ${describeCause(thrown)}`),
  );
  if (care) observer.seen(object, { care });
}

/** The limit is of the hosts, whosever clusters are on them. */
function isCrowded({ group }: Loaded, { groups, runs }: Controller): boolean {
  const names = groups.clustersOf(group.hosts.metadata.name).map(({ metadata }) => metadata.name);
  return runs.countOf(names) >= runLimitOf(group.hosts);
}

function startUp(loaded: Loaded, plan: PlanFile, approval: PlanApproval | undefined, { runs }: Controller) {
  const { object, cluster, files } = loaded;
  return runs.start({
    object,
    command: "up",
    plan: plan.planDigest,
    policy: applyOf(object),
    async work({ halt, tell }) {
      const world = { ...loaded.world, halt, tell };
      const report = await upFleet(
        {
          ...requestOf(loaded),
          async confirm(preview) {
            const now = fileOf(loaded, preview);
            if (!approval || isApproved(approval, now)) return true;
            const { namespace = "" } = object.metadata;
            throw noLongerApproved({ cluster: cluster.name, namespace, digest: now.planDigest });
          },
        },
        world,
      );
      await files.keep();
      return report;
    },
  });
}

const refusalText = ({ step, why, next }: PlanFile["refused"][number]): string => `${step}: ${why}. ${next}`;
