import {
  defineResource,
  nameOfStep,
  same,
  type Difference,
  type FieldChange,
  type StepContext,
} from "../../plan/index.ts";
import { type Cluster, kindNamed } from "../../spec/index.ts";
import type { AddonDefinition, AddonPart } from "../common/index.ts";
import { inputOf, type AddonWant } from "./addon-want.ts";
import type { AddonWorld } from "./addon-world.ts";
import { noApi } from "./errors.ts";
import { removeObjects } from "./parts/apply-objects.ts";
import {
  dropInventory,
  isComplete,
  readInventory,
  writeInventory,
  type Inventory,
  type RecordedPart,
} from "./inventory.ts";
import { objectsOf } from "./parts/part-objects.ts";
import { makePart, partKey, readPart, recordPart, removePart, type PartStatus } from "./parts/parts.ts";
import { loadInstallation } from "./resolve-addons.ts";
import { awaitReadiness, proveAddon, whyNotReady } from "./readiness.ts";

export interface AddonHave {
  cluster: Cluster;
  inventory: Inventory;
  /** Each wanted part against what is there. */
  parts: PartStatus[];
  /** Why it does not work, or undefined. */
  fault?: string | undefined;
}

/** An add-on in a cluster: made part by part, and done when it does its work. */
export const addonResource = (world: AddonWorld, definitions: readonly AddonDefinition[]) => {
  const installationOf = async (name: string) => {
    const definition = kindNamed(definitions, name);
    return definition && loadInstallation(definition);
  };

  /** Makes parts one after the other. Each is recorded first, so that whatever cuts the run leaves nothing unknown. */
  async function make(ctx: StepContext, want: AddonWant, before: Inventory | undefined): Promise<AddonHave> {
    const { cluster, addon } = want;
    const kube = await open(world, cluster);
    const isTheirs = before !== undefined && isOfOthers(want, before);
    const parts = isTheirs ? want.parts.filter(isAlwaysOurs) : want.parts;
    const recorded = new Map(before?.parts.map((part) => [partKey(part), part]));
    const record = async (owner: Inventory["owner"]): Promise<Inventory> => {
      const { id } = addon;
      const { definition, version } = isTheirs ? before : want;
      const inventory = { id, definition, owner, version, parts: [...recorded.values()] };
      await writeInventory(kube, inventory, ctx.signal);
      return inventory;
    };
    const dropAll = async (left: RecordedPart[]): Promise<void> => {
      for (const part of left) {
        await removePart(ctx, world, kube, cluster, part);
        recorded.delete(partKey(part));
      }
    };
    const left = isTheirs ? [] : partsLeft(before, want.parts).toReversed();
    // Both would claim what belongs to the whole cluster, so a release that moves goes before it comes.
    await dropAll(left.filter(({ name }) => parts.some((part) => part.name === name)));
    for (const part of parts) {
      // Secrets and manifests are fetched once: what is recorded is what is made.
      const objects = part.kind === "release" ? [] : await objectsOf(world, cluster, part);
      const records = recordPart(part, objects, recorded.get(partKey(part)));
      recorded.set(partKey(part), records.before);
      await record(isTheirs ? "gitops" : "slipway");
      await makePart(ctx, world, kube, want, part, objects);
      await removeObjects(ctx, kube, records.left);
      recorded.set(partKey(part), records.after);
    }
    await dropAll(left.filter((part) => recorded.has(partKey(part))));
    if (!isTheirs) {
      await awaitReadiness(ctx, world, kube, want);
      await proveAddon(ctx, kube, await installationOf(want.definition), inputOf(want));
    }
    return { cluster, inventory: await record(addon.owner), parts: [] };
  }

  return defineResource<AddonWant, AddonHave>({
    kind: "addon",
    face: ({ id }) => {
      const lane = definitions.find(({ name }) => name === nameOfStep(id))?.title;
      return lane === undefined ? {} : { lane };
    },

    async read(ctx, want) {
      const kube = await world.openKube(want.cluster);
      const inventory = kube && (await readInventory(kube, want.addon.id, ctx.signal));
      if (!inventory) return undefined;
      // What others keep is theirs: how it is now is not looked at.
      const isTheirs = isOfOthers(want, inventory) || isHandOver(want, inventory);
      const looked = isTheirs ? want.parts.filter(isAlwaysOurs) : want.parts;
      const parts = await Promise.all(
        looked.map((part) => readPart(ctx, world, kube, want, part, inventory)),
      );
      const fault = isTheirs ? undefined : await whyNotReady(world, kube, want, ctx.signal);
      return { cluster: want.cluster, inventory, parts, fault };
    },

    compare: compareAddon,
    create: (ctx, want) => make(ctx, want, undefined),

    async update(ctx, want, have) {
      if (!isHandOver(want, have.inventory)) return make(ctx, want, have.inventory);
      const kube = await open(world, want.cluster);
      const inventory: Inventory = { ...have.inventory, owner: "gitops" };
      await writeInventory(kube, inventory, ctx.signal);
      return { ...have, inventory };
    },

    async remove(ctx, have) {
      const { cluster, inventory } = have;
      const kube = await open(world, cluster);
      const installation = await installationOf(inventory.definition);
      await installation?.beforeRemoval?.(kube, ctx.signal);
      for (const part of inventory.parts.toReversed()) await removePart(ctx, world, kube, cluster, part);
      await dropInventory(kube, inventory.id, ctx.signal);
    },

    out: ({ inventory }) => ({ version: inventory.version, owner: inventory.owner }),
  });
};

const isAlwaysOurs = (part: AddonPart): boolean => part.kind === "objects" && part.isAlwaysOurs === true;

/** It was handed over, and the file agrees. */
const isOfOthers = (want: AddonWant, inventory: Inventory): boolean =>
  want.addon.owner === "gitops" && inventory.owner === "gitops";

/** Only the owner changes: nothing is created again, and from then on nothing is compared. What is incomplete is finished first. */
const isHandOver = (want: AddonWant, inventory: Inventory): boolean =>
  want.addon.owner === "gitops" && inventory.owner === "slipway" && isComplete(inventory);

export function compareAddon(want: AddonWant, have: AddonHave): Difference {
  const { inventory } = have;
  const owner = { field: "owner", from: inventory.owner, to: want.addon.owner };
  const changes = have.parts.flatMap((part) => part.changes);
  if (isHandOver(want, inventory)) return inPlace([owner], "hot");
  if (isOfOthers(want, inventory)) return inPlace(changes, "disturb");
  const fields = [
    ...(owner.from === owner.to ? [] : [owner]),
    ...(inventory.version === want.version
      ? []
      : [{ field: "version", from: inventory.version, to: want.version }]),
    ...changes,
    ...partsLeft(inventory, want.parts).map((part) => ({
      field: part.kind === "release" ? `release ${partKey(part)}` : part.name,
      from: "there",
      to: "gone",
    })),
    ...(have.fault === undefined ? [] : [{ field: "state", from: have.fault, to: "works" }]),
  ];
  // What never worked, or is only applied once more as it is, has no pod to lose.
  const isHarmless = !isComplete(inventory) || fields.every(({ field }) => field === "state");
  return inPlace(fields, isHarmless ? "hot" : "disturb");
}

/** New versions and values restart the pods of an add-on, and those of a CNI or a storage driver carry others. */
const inPlace = (fields: FieldChange[], consequence: "hot" | "disturb"): Difference =>
  fields.length === 0 ? same : { same: false, action: "update", consequence, fields };

/** Parts that were made and are not wanted any more. What is kept for others is not missed. */
const partsLeft = (inventory: Inventory | undefined, wanted: AddonPart[]): RecordedPart[] =>
  (inventory?.parts ?? []).filter(
    (known) => !known.isKept && !wanted.some((part) => partKey(part) === partKey(known)),
  );

async function open(world: AddonWorld, cluster: Cluster) {
  const kube = await world.openKube(cluster);
  if (!kube) throw noApi(cluster.name);
  return kube;
}
