import type { KubeClient, Manifest } from "../../../clients/kube/index.ts";
import type { FieldChange, ReadContext, StepContext } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { AddonPart } from "../../common/index.ts";
import type { AddonWant } from "../addon-want.ts";
import type { AddonWorld } from "../addon-world.ts";
import { applyObjects, removeObjects } from "./apply-objects.ts";
import { driftFields, driftOf } from "./drift.ts";
import type { Inventory, ObjectRef, RecordedPart } from "../inventory.ts";
import { nameOf } from "./missing-objects.ts";
import { objectsOf, refOf } from "./part-objects.ts";
import { awaitObjects } from "../readiness.ts";
import { makeRelease, readRelease, removeRelease } from "./release.ts";

/** A wanted part against what is there. */
export interface PartStatus {
  name: string;
  changes: FieldChange[];
}

/** What makes a part the same one at the next run. A release that moves to another namespace is another one. */
export const partKey = (part: Pick<RecordedPart, "kind" | "name" | "namespace">): string =>
  part.kind === "release" ? `${part.namespace ?? "default"}/${part.name}` : part.name;

export async function readPart(
  ctx: ReadContext,
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
  part: AddonPart,
  inventory: Inventory,
): Promise<PartStatus> {
  const { name } = part;
  const recorded = inventory.parts.find((known) => partKey(known) === partKey(part));
  if (!recorded) return { name, changes: [{ field: name, from: "missing", to: "there" }] };
  const changes = await (part.kind === "release"
    ? readRelease(ctx, world, kube, want.cluster, part, inventory.version)
    : readObjects(ctx, world, kube, want, part, recorded));
  const isHalf = changes.length === 0 && !recorded.isMade;
  return { name, changes: isHalf ? [{ field: name, from: "incomplete", to: "there" }] : changes };
}

async function readObjects(
  { signal }: ReadContext,
  world: AddonWorld,
  kube: KubeClient,
  { cluster, addon }: AddonWant,
  part: Exclude<AddonPart, { kind: "release" }>,
  recorded: RecordedPart,
): Promise<FieldChange[]> {
  const objects = await objectsOf(world, cluster, part);
  const drifts = await driftOf(kube, objects, signal);
  const left = part.isKept ? [] : objectsLeft(recorded, objects.map(refOf));
  return [
    ...driftFields(drifts, addon.id),
    ...left.map((ref) => ({ field: nameOf(ref), from: "there", to: "gone" })),
  ];
}

/** Objects that were made and are no longer among those wanted, whatever the version of their kind. */
function objectsLeft(recorded: RecordedPart | undefined, wanted: ObjectRef[]): ObjectRef[] {
  const identity = ({ apiVersion, ...ref }: ObjectRef): string =>
    `${apiVersion.includes("/") ? apiVersion.split("/")[0] : ""} ${nameOf({ apiVersion, ...ref })}`;
  const staying = new Set(wanted.map(identity));
  return (recorded?.objects ?? []).filter((ref) => !staying.has(identity(ref)));
}

/** What the inventory holds of a part before and after it is made. */
export interface PartRecords {
  before: RecordedPart;
  after: RecordedPart;
  left: ObjectRef[];
}

export function recordPart(
  part: AddonPart,
  wanted: Manifest[],
  known: RecordedPart | undefined,
): PartRecords {
  const { name, kind } = part;
  if (part.kind === "release") {
    const record = { name, kind, namespace: part.namespace };
    return { before: record, after: { ...record, isMade: true }, left: [] };
  }
  const objects = wanted.map(refOf);
  const left = part.isKept ? [] : objectsLeft(known, objects);
  const record = { name, kind, isKept: part.isKept ? (true as const) : undefined };
  return {
    before: { ...record, objects: [...objects, ...left] },
    after: { ...record, objects, isMade: true },
    left,
  };
}

export async function makePart(
  ctx: StepContext,
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
  part: AddonPart,
  objects: Manifest[],
): Promise<void> {
  await awaitObjects(ctx, kube, want.cluster.name, part.awaits ?? []);
  if (part.kind === "release") return makeRelease(ctx, world, kube, want.cluster, part, want.addon.id);
  await applyObjects(ctx, kube, want.cluster.name, objects);
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
