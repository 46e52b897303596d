import path from "node:path";
import { parse } from "yaml";
import type { Graph, GraphNode, StepId } from "../../plan/index.ts";
import type { Addon, Cluster } from "../../spec/index.ts";
import { mergeValues } from "../release-part.ts";
import { resolveAddons, type ResolvedAddon } from "../resolve-addons.ts";
import type { AddonWant } from "./addon.ts";
import type { AddonWorld } from "./addon-world.ts";
import { valuesUnreadable } from "./errors.ts";
import type { Inventory } from "./inventory.ts";

/** `CLUSTER/addon/NAME`. */
export const addonStep = (cluster: string, id: string): StepId => `${cluster}/addon/${id}`;

/** The step that connects the pods, when an add-on does. */
export function networkStep(cluster: Cluster): StepId | undefined {
  const network = resolveAddons(cluster).find(({ definition }) => definition.isNetwork);
  return network && addonStep(cluster.name, network.addon.id);
}

/** Every add-on is one node: it starts when the API answers and those it needs are there. */
export async function describeAddons(world: AddonWorld, cluster: Cluster, apiStep: StepId): Promise<Graph> {
  const resolved = resolveAddons(cluster);
  return Promise.all(
    resolved.map(async ({ addon, definition, version, after }): Promise<GraphNode<AddonWant>> => {
      const names = resolved.map((each) => each.addon.name);
      const complete = await withFileValues(world, cluster, addon);
      const input = { addon: complete, cluster, version, names: new Set(names) };
      return {
        id: addonStep(cluster.name, addon.id),
        kind: "addon",
        name: `add-on ${addon.id}`,
        want: {
          cluster,
          addon: complete,
          definition: definition.name,
          version,
          names,
          parts: definition.parts(input),
          readiness: definition.readiness(input),
        },
        after: [apiStep, ...after.map((id) => addonStep(cluster.name, id))],
        within: [apiStep],
        group: "addons",
        // Nodes are not Ready without a pod network, and with them a cluster is only half a cluster.
        stage: definition.isNetwork ? "kubernetes" : "addons",
        cluster: cluster.name,
        usualMs: 45_000,
        facts: {
          version,
          ...(addon.owner === "gitops" && { owner: "gitops" }),
          ...(addon.isBrought && { "needed by": neededBy(resolved, addon) }),
        },
      };
    }),
  );
}

const neededBy = (resolved: ResolvedAddon[], { name }: Addon): string =>
  resolved.find(({ definition }) => definition.brings?.includes(name))?.addon.id ?? "";

/** Values of files first, so that those in the cluster file win. */
async function withFileValues(world: AddonWorld, cluster: Cluster, addon: Addon): Promise<Addon> {
  const folder = path.dirname(cluster.at.file);
  const trees = await Promise.all(
    addon.valuesFiles.map(async (file) =>
      readValues(await world.readText(path.resolve(folder, file)), file, addon),
    ),
  );
  return { ...addon, values: [...trees, addon.values].reduce(mergeValues, {}) };
}

function readValues(text: string, file: string, addon: Addon): Tree {
  const parsed: unknown = readYaml(text);
  if (isTree(parsed)) return parsed;
  throw valuesUnreadable({ addon: addon.id, file, at: addon.at });
}

function readYaml(text: string): unknown {
  try {
    return parse(text) ?? {};
  } catch {
    return undefined;
  }
}

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Add-ons that were made and are not in the file any more. What was handed over is not Slipway's to remove. */
export function describeLeavers(
  cluster: Cluster,
  inventories: Inventory[],
  loses: (inventory: Inventory) => string | undefined,
): Graph {
  const wanted = new Set(resolveAddons(cluster).map(({ addon }) => addon.id));
  const leaving = inventories.filter(({ id, owner }) => owner === "slipway" && !wanted.has(id));
  return leaving.map((inventory) => {
    const lost = loses(inventory);
    return {
      id: addonStep(cluster.name, inventory.id),
      kind: "addon",
      name: `add-on ${inventory.id}`,
      want: { cluster, addon: { id: inventory.id }, parts: [], readiness: { workloads: [] } },
      after: [],
      group: "addons",
      stage: "addons",
      cluster: cluster.name,
      facts: { version: inventory.version },
      ...(lost !== undefined && { loses: lost }),
    };
  });
}
