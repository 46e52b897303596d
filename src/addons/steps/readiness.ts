import {
  conditionOf,
  explainPods,
  troubleText,
  workloadState,
  type KubeClient,
  type PodTrouble,
} from "../../clients/kube/index.ts";
import type { NodeFaults, Seen, StepContext } from "../../plan/index.ts";
import type { AddonInput, AddonInstallation, AwaitedObject, Workload } from "../common/index.ts";
import type { AddonWant } from "./addon-want.ts";
import type { AddonWorld } from "./addon-world.ts";
import { nameOf } from "./parts/missing-objects.ts";
import { workloadsMade } from "./parts/workloads-made.ts";

const readyMs = 600_000;

/** What a person can do when an add-on takes too long. */
export const next = (cluster: string): string =>
  `See why with "slipway doctor ${cluster}"; "slipway up ${cluster}" then goes on from here`;

/** Waits until the add-on's workloads run, or says which pod on which node is in the way. */
export async function awaitReadiness(
  ctx: StepContext,
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
): Promise<void> {
  const look = faultFinder(world, kube, want);
  await ctx.waitFor(
    {
      what: `add-on ${want.addon.id} to be ready`,
      probe: "kubernetes",
      deadlineMs: readyMs,
      usualMs: 30_000,
      next: next(want.cluster.name),
    },
    async (signal): Promise<Seen<undefined>> => {
      const fault = await look(signal);
      return fault === undefined ? { done: true, value: undefined } : { done: false, seen: fault.why };
    },
  );
}

/** Waits until single objects say that they work, e.g. kinds that an operator registers by itself. */
export async function awaitObjects(
  ctx: StepContext,
  kube: KubeClient,
  cluster: string,
  objects: AwaitedObject[],
): Promise<void> {
  const [first] = objects;
  if (!first) return;
  await ctx.waitFor(
    {
      what: objects.length === 1 ? nameOf(first) : `${nameOf(first)} and ${objects.length - 1} more`,
      probe: "kubernetes",
      deadlineMs: readyMs,
      next: next(cluster),
    },
    async (signal): Promise<Seen<undefined>> => {
      const fault = await firstFault(objects, (object) => objectFault(kube, object, signal));
      return fault === undefined ? { done: true, value: undefined } : { done: false, seen: fault.why };
    },
  );
}

/** Beyond ready: it does what it is there for. */
export async function proveAddon(
  ctx: StepContext,
  kube: KubeClient,
  installation: AddonInstallation | undefined,
  input: AddonInput,
): Promise<void> {
  if (!installation?.prove) return;
  const proven = await ctx.waitFor(
    {
      what: `add-on ${input.addon.id} to do its work`,
      probe: "kubernetes",
      deadlineMs: readyMs,
      everyMs: 1_000,
      next: next(input.cluster.name),
    },
    async (signal) =>
      (await installation.prove?.(kube, input, { clock: ctx.clock, signal })) ?? { done: true, value: "" },
  );
  if (proven !== "") ctx.log("info", `${input.addon.id}: ${proven}`);
}

/** Undefined when everything is as it should be. */
export const whyNotReady = async (...asked: Parameters<typeof findFault>): Promise<string | undefined> =>
  (await findFault(...asked))?.why;

/** What is wrong, and with which nodes where it is something that every node has. */
export interface Fault {
  why: string;
  nodes?: NodeFaults;
}

/** Undefined when everything is as it should be. */
export const findFault = (
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
  signal: AbortSignal,
): Promise<Fault | undefined> => faultFinder(world, kube, want)(signal);

/** Looks again and again. Which workloads there are is asked until all are known, and never after. */
function faultFinder(
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
): (signal: AbortSignal) => Promise<Fault | undefined> {
  const { workloads, objects = [] } = want.readiness;
  let known = workloads.length > 0 ? workloads : undefined;
  return async (signal) => {
    if (!known) {
      const made = await workloadsMade(world, kube, want, signal);
      if (made.missing !== undefined) return { why: made.missing };
      known = made.workloads;
    }
    return (
      (await firstFault(known, (workload) => workloadFault(kube, workload, signal))) ??
      firstFault(objects, (object) => objectFault(kube, object, signal))
    );
  };
}

async function workloadFault(
  kube: KubeClient,
  workload: Workload,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const ref = { apiVersion: "apps/v1", ...workload };
  const object = await kube.get<WithSelector>(ref, signal);
  if (!object) return { why: `${nameOf(ref)} is not there yet` };
  const state = workloadState(object);
  if (state.isReady) return undefined;
  const labels = Object.entries(object.spec?.selector?.matchLabels ?? {});
  const troubles = await explainPods(
    kube,
    {
      namespace: workload.namespace,
      owner: workload.name,
      labels: labels.length > 0 ? labels.map(([key, value]) => `${key}=${value}`).join(",") : undefined,
    },
    signal,
  );
  const why = `${nameOf(ref)}: ${troubles.length > 0 ? troubleText(troubles) : state.seen}`;
  return { why, ...(workload.kind === "DaemonSet" && nodesIn(troubles)) };
}

/** Only where every trouble has a node. */
function nodesIn(troubles: PodTrouble[]): Pick<Fault, "nodes"> {
  const nodes = troubles.flatMap(({ node, pod, why }) =>
    node === undefined ? [] : [[node, pod, why] as const],
  );
  if (nodes.length === 0 || nodes.length < troubles.length) return {};
  return { nodes: Object.fromEntries(nodes.map(([node, pod, why]) => [node, `${pod}: ${why}`])) };
}

interface WithSelector {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: { selector?: { matchLabels?: Record<string, string> } };
  [field: string]: unknown;
}

async function objectFault(
  kube: KubeClient,
  object: AwaitedObject,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const found = await kube.get(object, signal);
  if (!found) return { why: `${nameOf(object)} is not there yet` };
  const condition = conditionOf(found, object.condition);
  if (condition?.status === "True") return undefined;
  const why = condition?.message ?? condition?.reason ?? `it does not say ${object.condition} yet`;
  return { why: `${nameOf(object)}: ${why}` };
}

/** Asks all at once; the first in order is told. */
async function firstFault<T>(
  items: T[],
  ask: (item: T) => Promise<Fault | undefined>,
): Promise<Fault | undefined> {
  return (await Promise.all(items.map(ask))).find((fault) => fault !== undefined);
}

/** What keeps the pods of jobs in a namespace from coming up, if anything does: helm waits for those of its hooks. */
export async function troubleOfHooks(
  kube: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const troubles = await explainPods(kube, { namespace, labels: "job-name" }, signal);
  return troubles.length > 0 ? troubleText(troubles) : undefined;
}
