import { given } from "../../lib/index.ts";
import type { PlanApproval, PlanFile } from "../../operations/index.ts";
import { distributionName, type Cluster } from "../../spec/index.ts";
import { withTransitionTimes, writeStatus } from "../machinery/index.ts";
import {
  publishesKubeconfig,
  type ControllerCondition,
  type PlanSummary,
  type SlipwayCluster,
  type SlipwayClusterStatus,
} from "../objects/index.ts";
import { judge, type Findings } from "./conditions.ts";
import type { Controller } from "./context.ts";
import { fieldManager } from "./controller-world.ts";
import { kubeconfigSecretOf } from "./secrets/published.ts";

/** What a reconcile has found out, as far as it came. */
export interface Told extends Partial<Omit<Findings, "nodes" | "wanted">> {
  plan?: PlanFile | undefined;
  wanted?: ToldCluster | undefined;
  approved?: PlanApproval | undefined;
}

interface ToldCluster {
  cluster: Cluster;
  /** Of the hosts it is on. */
  provider: string | undefined;
}

const mostSteps = 20;

/** Writes what was found into the status, and tells of what has changed in an Event. */
export async function tellCluster(controller: Controller, object: SlipwayCluster, told: Told): Promise<void> {
  const { world, nodes: watches, record } = controller;
  const before = object.status;
  const nodes = watches.seen(object.metadata.name);
  const wanted = told.wanted?.cluster.nodes.length ?? before?.nodes?.wanted ?? 0;
  const { plan, wanted: asked, approved, ...found } = told;
  const { phase, conditions } = judge(object, { ...found, nodes, wanted });
  const generation = object.metadata.generation ?? 0;
  const isReached = plan !== undefined && found.changes === 0;
  const status: SlipwayClusterStatus = given({
    ...before,
    observedGeneration: generation,
    reachedGeneration: isReached ? generation : before?.reachedGeneration,
    phase,
    conditions: withTransitionTimes<ControllerCondition>(conditions, before?.conditions, world.clock.now()),
    plan: plan ? summaryOf(plan, before?.plan) : before?.plan,
    approved: approved ?? (isReached ? undefined : before?.approved),
    ...(asked && factsOf(asked)),
    kubeconfig: kubeconfigOf(controller, object),
    ...(nodes.state === "seen" && {
      nodes: { wanted, ready: nodes.ready },
      kubernetesVersion: nodes.versions.join(", ").replaceAll("v", ""),
      osVersion: nodes.systems.join(", "),
    }),
    lastRun: controller.lastRuns.get(object.metadata.name) ?? before?.lastRun,
  });
  await writeStatus(world.client, object, status, fieldManager);
  const ready = conditions.find(({ type }) => type === "Ready");
  const was = before?.conditions.find(({ type }) => type === "Ready");
  if (!ready || (was?.reason === ready.reason && was.status === ready.status)) return;
  const type = [
    "Invalid",
    "RunFailed",
    "ChangesRefused",
    "NodesNotReady",
    "DeletionStuck",
    "Unreachable",
  ].includes(ready.reason)
    ? "Warning"
    : "Normal";
  await record(object, { type, reason: ready.reason, message: ready.message });
}

const factsOf = ({ cluster, provider }: ToldCluster) =>
  given({
    distribution: distributionName(cluster),
    provider,
    endpoint: cluster.endpoint === "" ? undefined : cluster.endpoint,
  });

/** The Secret that others read it from. */
function kubeconfigOf({ published }: Controller, object: SlipwayCluster): string | undefined {
  if (!publishesKubeconfig(object)) return undefined;
  return published.has(object.metadata.name) ? kubeconfigSecretOf(object) : object.status?.kubeconfig;
}

/** The same plan keeps the time it was first made: a status that says nothing new is not written. */
function summaryOf(file: PlanFile, before: PlanSummary | undefined): PlanSummary {
  const summary: Omit<PlanSummary, "madeAt"> = {
    digest: file.planDigest,
    changes: file.steps.length,
    waiting: file.steps.filter(({ waitsUntil }) => waitsUntil !== undefined).length,
    summary: summaryText(file),
    steps: file.steps
      .slice(0, mostSteps)
      .map(({ id, title, action, consequence }) => ({ step: id, title, action, consequence })),
    refused: file.refused.map(({ step, why }) => `${step}: ${why}`).slice(0, mostSteps),
  };
  return { ...summary, madeAt: before?.digest === file.planDigest ? before.madeAt : file.madeAt };
}

/** `3 create, 1 reboot`. */
function summaryText({ steps }: PlanFile): string {
  const counts = new Map<string, number>();
  for (const { consequence } of steps) counts.set(consequence, (counts.get(consequence) ?? 0) + 1);
  return [...counts].map(([consequence, count]) => `${count} ${consequence}`).join(", ") || "no changes";
}
