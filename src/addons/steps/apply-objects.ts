import type { KubeClient, KubeObject, Manifest } from "../../clients/kube/index.ts";
import { Places, stableJson } from "../../lib/index.ts";
import type { Seen, StepContext } from "../../plan/index.ts";
import type { ObjectRef } from "./inventory.ts";
import { missingObjects, nameOf } from "./missing-objects.ts";
import { refOf } from "./part-objects.ts";
import { awaitObjects } from "./readiness.ts";

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
  const places = new Places(atOnce);
  const applyAll = (some: Manifest[]) =>
    Promise.all(
      some.map((object) =>
        places.use(() => kube.apply(object, { isForced: true, signal: ctx.signal }), ctx.signal),
      ),
    );
  const foundation = objects.filter(isFoundation);
  await applyAll(foundation);
  const definitions = foundation.filter(({ kind }) => kind === "CustomResourceDefinition");
  const awaited = definitions.map((object) => ({ ...refOf(object), condition: "Established" }));
  await awaitObjects(ctx, kube, cluster, awaited);
  await applyAll(objects.filter((object) => !isFoundation(object)));
}

/** Objects that are gone, or that somebody changed where Slipway has a say. The server itself is asked, and keeps nothing. */
export async function driftOf(
  kube: KubeClient,
  objects: Manifest[],
  signal: AbortSignal,
): Promise<{ name: string; seen: string }[]> {
  const places = new Places(atOnce);
  const looks = objects.map((object) =>
    places.use(async () => {
      const name = nameOf(refOf(object));
      const found = await kube.get(refOf(object), signal);
      if (!found) return [{ name, seen: "missing" }];
      const asWanted = await kube.apply(object, { isForced: true, isDryRun: true, signal });
      return textOf(found) === textOf(asWanted) ? [] : [{ name, seen: "changed" }];
    }, signal),
  );
  return (await Promise.all(looks)).flat();
}

/** All that a person would call the object's content. */
function textOf(object: KubeObject): string {
  const {
    resourceVersion: _r,
    generation: _g,
    managedFields: _m,
    ...metadata
  } = {
    managedFields: undefined,
    ...object.metadata,
  };
  const { status: _s, ...rest } = object;
  return stableJson({ ...rest, metadata });
}

/** Deletes in the reverse order of making, and waits until nothing is left. */
export async function removeObjects(ctx: StepContext, kube: KubeClient, refs: ObjectRef[]): Promise<void> {
  const [first] = refs;
  if (!first) return;
  for (const ref of refs.toReversed())
    await kube.delete(ref, { propagation: "Background", signal: ctx.signal });
  await ctx.waitFor(
    {
      what: refs.length === 1 ? `${nameOf(first)} to go` : `${refs.length} objects to go`,
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
