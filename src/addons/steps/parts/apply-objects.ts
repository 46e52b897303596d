import type { KubeClient, Manifest } from "../../../clients/kube/index.ts";
import { Semaphore } from "../../../lib/index.ts";
import type { Seen, StepContext } from "../../../plan/index.ts";
import { isReplaceable } from "./drift.ts";
import type { ObjectRef } from "../inventory.ts";
import { missingObjects, nameOf } from "./missing-objects.ts";
import { refOf } from "./part-objects.ts";
import { awaitObjects } from "../readiness.ts";

const atOnce = 8;
const goneMs = 180_000;

/** What others live in or are an instance of comes first. */
const isFoundation = ({ kind }: Manifest): boolean =>
  kind === "Namespace" || kind === "CustomResourceDefinition";

/** Applies all objects; those that the rest needs are there and known before it. */
export async function applyObjects(
  ctx: StepContext,
  kube: KubeClient,
  cluster: string,
  objects: Manifest[],
): Promise<void> {
  const places = new Semaphore(atOnce);
  const applyAll = (some: Manifest[]) =>
    Promise.all(some.map((object) => places.use(() => applyOne(ctx, kube, object), ctx.signal)));
  const foundation = objects.filter(isFoundation);
  await applyAll(foundation);
  const definitions = foundation.filter(({ kind }) => kind === "CustomResourceDefinition");
  const awaited = definitions.map((object) => ({ ...refOf(object), condition: "Established" }));
  await awaitObjects(ctx, kube, cluster, awaited);
  await applyAll(objects.filter((object) => !isFoundation(object)));
}

async function applyOne(ctx: StepContext, kube: KubeClient, object: Manifest): Promise<void> {
  const { signal } = ctx;
  try {
    await kube.apply(object, { isForced: true, signal });
  } catch (thrown) {
    if (!isReplaceable(object, thrown)) throw thrown;
    ctx.log("info", `${nameOf(refOf(object))} cannot be changed: it is deleted and created again`);
    await removeObjects(ctx, kube, [refOf(object)]);
    await kube.apply(object, { isForced: true, signal });
  }
}

/** Deletes in the reverse order of making, and waits until nothing is left. */
export async function removeObjects(ctx: StepContext, kube: KubeClient, refs: ObjectRef[]): Promise<void> {
  const [first] = refs;
  if (!first) return;
  for (const ref of refs.toReversed())
    await kube.delete(ref, { propagation: "Background", signal: ctx.signal });
  await ctx.waitFor(
    {
      what: refs.length === 1 ? `${nameOf(first)} to be removed` : `${refs.length} objects to be removed`,
      probe: "kubernetes",
      deadlineMs: goneMs,
    },
    async (signal): Promise<Seen<undefined>> => {
      const missing = new Set(await missingObjects(kube, refs, signal));
      const left = refs.map(nameOf).filter((name) => !missing.has(name));
      return left.length === 0
        ? { done: true, value: undefined }
        : { done: false, seen: `${left.length} left: ${left.slice(0, 3).join(", ")}` };
    },
  );
}
