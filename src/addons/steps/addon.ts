import {
  defineResource,
  same,
  type Difference,
  type FieldChange,
  type StepContext,
} from "../../plan/index.ts";
import type { AddonName, Cluster, Addon } from "../../spec/index.ts";
import type { AddonDefinition, AddonInput, AddonPart, Readiness } from "../definition.ts";
import type { AddonWorld } from "./addon-world.ts";
import { noApi } from "./errors.ts";
import {
  dropInventory,
  readInventory,
  writeInventory,
  type Inventory,
  type RecordedPart,
} from "./inventory.ts";
import { makePart, readPart, recordPart, removePart, type PartLook } from "./parts.ts";
import { digestOf } from "./part-objects.ts";
import { awaitReadiness, proveAddon, whyNotReady } from "./readiness.ts";

/** An add-on with everything decided: plain data, secrets by reference only. */
export interface AddonWant {
  cluster: Cluster;
  addon: Addon;
  definition: AddonName;
  version: string;
  names: AddonName[];
  parts: AddonPart[];
  readiness: Readiness;
}

export interface AddonHave {
  cluster: Cluster;
  inventory: Inventory;
  /** Each wanted part against what is there. */
  parts: PartLook[];
  /** Why it does not work, or undefined. */
  fault?: string;
}

/** An add-on in a cluster: made part by part, and done when it does its work. */
export const addonResource = (world: AddonWorld, definitions: ReadonlyMap<AddonName, AddonDefinition>) => {
  async function make(ctx: StepContext, want: AddonWant, before: Inventory | undefined): Promise<AddonHave> {
    const { cluster, addon, parts } = want;
    const kube = await open(world, cluster);
    const recorded = new Map(before?.parts.map((part) => [part.name, part]));
    const record = async (owner: Inventory["owner"]): Promise<Inventory> => {
      const inventory: Inventory = {
        id: addon.id,
        definition: want.definition,
        owner,
        version: want.version,
        parts: [...recorded.values()],
      };
      await writeInventory(kube, inventory, ctx.signal);
      return inventory;
    };
    for (const part of parts) {
      recorded.set(part.name, await recordPart(world, cluster, part));
      await record("slipway");
      await makePart(ctx, world, kube, want, part);
      recorded.set(part.name, { ...(recorded.get(part.name) as RecordedPart), digest: digestOf(part) });
    }
    for (const old of partsLeft(before, parts).toReversed()) {
      await removePart(ctx, world, kube, cluster, old);
      recorded.delete(old.name);
    }
    await awaitReadiness(ctx, world, kube, want);
    await proveAddon(ctx, kube, definitions.get(want.definition), inputOf(want));
    const inventory = await record(addon.owner);
    return { cluster, inventory, parts: [] };
  }

  return defineResource<AddonWant, AddonHave>({
    kind: "addon",

    async read(ctx, want) {
      const kube = await world.openKube(want.cluster);
      const inventory = kube && (await readInventory(kube, want.addon.id, ctx.signal));
      if (!inventory) return undefined;
      // What others keep is theirs: how it is now is not looked at.
      if (inventory.owner === "gitops") return { cluster: want.cluster, inventory, parts: [] };
      const parts = await Promise.all(
        want.parts.map((part) => readPart(ctx, world, kube, want.cluster, part, inventory)),
      );
      const fault = await whyNotReady(world, kube, want, ctx.signal);
      return { cluster: want.cluster, inventory, parts, ...(fault !== undefined && { fault }) };
    },

    compare: compareAddon,
    create: (ctx, want) => make(ctx, want, undefined),

    async update(ctx, want, have) {
      if (!isHandOver(want, have)) return make(ctx, want, have.inventory);
      const kube = await open(world, want.cluster);
      const inventory: Inventory = { ...have.inventory, owner: "gitops" };
      await writeInventory(kube, inventory, ctx.signal);
      return { ...have, inventory };
    },

    async remove(ctx, have) {
      const { cluster, inventory } = have;
      const kube = await open(world, cluster);
      await definitions.get(inventory.definition)?.beforeRemoval?.(kube, ctx.signal);
      for (const part of inventory.parts.toReversed()) await removePart(ctx, world, kube, cluster, part);
      await dropInventory(kube, inventory.id, ctx.signal);
    },

    out: ({ inventory }) => ({ version: inventory.version, owner: inventory.owner }),
  });
};

/** Only the owner changes hands: nothing is made anew, and from then on nothing is compared. */
const isHandOver = (want: AddonWant, have: AddonHave): boolean =>
  want.addon.owner === "gitops" && have.inventory.owner === "slipway";

export function compareAddon(want: AddonWant, have: AddonHave): Difference {
  const owner = { from: have.inventory.owner, to: want.addon.owner };
  if (owner.from === "gitops" && owner.to === "gitops") return same;
  if (isHandOver(want, have)) return inPlace([{ field: "owner", ...owner }]);
  const fields: FieldChange[] = [
    ...(owner.from === owner.to ? [] : [{ field: "owner", ...owner }]),
    ...(have.inventory.version === want.version
      ? []
      : [{ field: "version", from: have.inventory.version, to: want.version }]),
    ...have.parts.flatMap((part) => part.changes),
    ...partsLeft(have.inventory, want.parts).map(({ name }) => ({ field: name, from: "there", to: "gone" })),
    ...(have.fault === undefined ? [] : [{ field: "state", from: have.fault, to: "works" }]),
  ];
  return fields.length === 0 ? same : inPlace(fields);
}

const inPlace = (fields: FieldChange[]): Difference => ({
  same: false,
  action: "update",
  consequence: "hot",
  fields,
});

/** Parts that were made and are not wanted any more. */
const partsLeft = (inventory: Inventory | undefined, wanted: AddonPart[]): RecordedPart[] =>
  (inventory?.parts ?? []).filter(({ name }) => !wanted.some((part) => part.name === name));

export const inputOf = ({ addon, cluster, version, names }: AddonWant): AddonInput => ({
  addon,
  cluster,
  version,
  names: new Set(names),
});

async function open(world: AddonWorld, cluster: Cluster) {
  const kube = await world.openKube(cluster);
  if (!kube) throw noApi(cluster.name);
  return kube;
}
