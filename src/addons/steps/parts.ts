import type { KubeClient } from "../../clients/kube/index.ts";
import type { FieldChange, ReadContext, StepContext } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { AddonPart } from "../definition.ts";
import type { AddonWant } from "./addon.ts";
import type { AddonWorld } from "./addon-world.ts";
import { applyObjects, driftOf, removeObjects } from "./apply-objects.ts";
import type { Inventory, RecordedPart } from "./inventory.ts";
import { digestOf, objectsOf, refOf } from "./part-objects.ts";
import { awaitObjects } from "./readiness.ts";
import { makeRelease, readRelease, removeRelease } from "./release.ts";

/** A wanted part against what is there. */
export interface PartLook {
  name: string;
  changes: FieldChange[];
}

export async function readPart(
  ctx: ReadContext,
  world: AddonWorld,
  kube: KubeClient,
  cluster: Cluster,
  part: AddonPart,
  inventory: Inventory,
): Promise<PartLook> {
  const { name } = part;
  const recorded = inventory.parts.find((known) => known.name === name);
  if (!recorded) return { name, changes: [{ field: name, from: "missing", to: "there" }] };
  if (part.kind === "release") return { name, changes: await readRelease(ctx, world, kube, cluster, part) };
  if (recorded.digest !== digestOf(part))
    return {
      name,
      changes: [{ field: name, from: recorded.digest ? "other" : "half made", to: "as in the file" }],
    };
  const objects = await objectsOf(world, cluster, part);
  const drifted = await driftOf(kube, objects, ctx.signal);
  return {
    name,
    changes: drifted.map((each) => ({ field: each.name, from: each.seen, to: "as it was made" })),
  };
}

/** What the inventory holds of a part while it is being made. */
export async function recordPart(
  world: AddonWorld,
  cluster: Cluster,
  part: AddonPart,
): Promise<RecordedPart> {
  const { name, kind } = part;
  if (part.kind === "release") return { name, kind, namespace: part.namespace };
  const objects = (await objectsOf(world, cluster, part)).map(refOf);
  return { name, kind, objects, ...(part.isKept && { isKept: true }) };
}

export async function makePart(
  ctx: StepContext,
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
  part: AddonPart,
): Promise<void> {
  await awaitObjects(ctx, kube, want.cluster.name, part.awaits ?? []);
  if (part.kind === "release") return makeRelease(ctx, world, kube, want.cluster, part, want.addon.id);
  await applyObjects(ctx, kube, want.cluster.name, await objectsOf(world, want.cluster, part));
}

/** Removes what was made, as far as it is there. What is kept for others stays. */
export async function removePart(
  ctx: StepContext,
  world: AddonWorld,
  kube: KubeClient,
  cluster: Cluster,
  part: RecordedPart,
): Promise<void> {
  if (part.isKept) return;
  if (part.kind === "release")
    return removeRelease(ctx, world, cluster, { name: part.name, namespace: part.namespace ?? "default" });
  await removeObjects(ctx, kube, part.objects ?? []);
}
