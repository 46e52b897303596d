import path from "node:path";
import { parse } from "yaml";
import type { Graph, GraphNode, StepId } from "../../plan/index.ts";
import { type Addon, addonWith, type Cluster, kindNamed } from "../../spec/index.ts";
import { type AddonDefinition, type AddonPart, mergeValues } from "../common/index.ts";
import type { AddonWant } from "./addon-want.ts";
import type { AddonWorld } from "./addon-world.ts";
import { valuesUnreadable } from "./errors.ts";
import type { Inventory } from "./inventory.ts";
import { objectsKnown } from "./parts/rendering.ts";
import { installAddons, type ResolvedAddon } from "./resolve-addons.ts";

/** `CLUSTER/addon/NAME`. */
export const addonStep = (cluster: string, id: string): StepId => `${cluster}/addon/${id}`;

/** The step that connects the pods, when an add-on does. */
export function networkStep(cluster: Cluster): StepId | undefined {
  const network = addonWith(cluster, "connectsPods");
  return network && addonStep(cluster.name, network.id);
}

/** Every add-on is one node: it starts when the API answers and those it needs are there. */
export async function describeAddons(
  world: AddonWorld,
  definitions: readonly AddonDefinition[],
  cluster: Cluster,
  apiStep: StepId,
  accountSteps: StepId[],
): Promise<Graph> {
  const resolved = await installAddons(cluster, definitions);
  return Promise.all(
    resolved.map(async ({ addon, installation, version, after }): Promise<GraphNode<AddonWant>> => {
      const names = resolved.map((each) => each.addon.name);
      const complete = await withFileValues(world, cluster, addon);
      const input = { addon: complete, cluster, version, names: new Set(names) };
      const parts = installation.parts(input);
      const objects = await objectsKnown(world, cluster, parts);
      return {
        id: addonStep(cluster.name, addon.id),
        kind: "addon",
        name: `add-on ${addon.id}`,
        want: {
          cluster,
          addon: complete,
          definition: addon.name,
          version,
          names,
          parts,
          readiness: installation.readiness(input),
        },
        after: [
          apiStep,
          ...(parts.some(needsAccount) ? accountSteps : []),
          ...after.map((id) => addonStep(cluster.name, id)),
        ],
        within: [apiStep],
        group: "addons",
        // Nodes are not Ready without a pod network, and without them a cluster is only half a cluster.
        stage: isForNetwork(resolved, addon) ? "kubernetes" : "addons",
        cluster: cluster.name,
        usualMs: 45_000,
        facts: {
          version,
          objects,
          owner: addon.owner === "gitops" ? "gitops" : undefined,
          "needed by": addon.isBrought ? neededBy(resolved, addon) : undefined,
        },
      };
    }),
  );
}

const needsAccount = (part: AddonPart): boolean =>
  part.kind === "objects" &&
  part.objects.some(({ secrets = [] }) => secrets.some(({ secret }) => secret === "cloudAccount"));

/** The pods' network itself, and what has to be there before it. */
const isForNetwork = (resolved: ResolvedAddon[], { id, facts }: Addon): boolean =>
  facts.connectsPods === true ||
  resolved.some((other) => other.addon.facts.connectsPods && other.after.includes(id));

const neededBy = (resolved: ResolvedAddon[], { name }: Addon): string =>
  resolved.find(({ addon }) => addon.facts.dependencies?.includes(name))?.addon.id ?? "";

/** Values of files first, so that those in the cluster file win. */
async function withFileValues(world: AddonWorld, cluster: Cluster, addon: Addon): Promise<Addon> {
  const folder = path.dirname(cluster.at.file);
  const trees = await Promise.all(
    addon.valuesFiles.map(async (file) => {
      const text = await world.readText(path.resolve(folder, file)).catch(() => undefined);
      return readValues(text, file, addon);
    }),
  );
  return { ...addon, values: [...trees, addon.values].reduce(mergeValues, {}) };
}

function readValues(text: string | undefined, file: string, addon: Addon): Tree {
  const parsed: unknown = text === undefined ? undefined : readYaml(text);
  if (isTree(parsed)) return parsed;
  throw valuesUnreadable({ addon: addon.id, file, isThere: text !== undefined, at: addon.at });
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

/**
 * Add-ons that were made and are not in the file any more, each after those that may use it. What was handed over is not
 * Slipway's to remove.
 */
export function describeLeftovers(
  cluster: Cluster,
  inventories: Inventory[],
  definitions: readonly AddonDefinition[],
): Graph {
  const wanted = new Set(cluster.addons.map(({ id }) => id));
  const leftovers = inventories.filter(({ id, owner }) => owner === "slipway" && !wanted.has(id));
  return leftovers.map((inventory) => {
    const { loses, leaves } = kindNamed(definitions, inventory.definition) ?? {};
    const users = leftovers.filter((other) => uses(other, inventory, definitions));
    return {
      id: addonStep(cluster.name, inventory.id),
      kind: "addon",
      name: `add-on ${inventory.id}`,
      want: { cluster, addon: { id: inventory.id }, parts: [], readiness: { workloads: [] } },
      after: users.map(({ id }) => addonStep(cluster.name, id)),
      group: "addons",
      stage: "addons",
      cluster: cluster.name,
      facts: { version: inventory.version },
      loses,
      keeps: leaves,
    };
  });
}

/** Whether an add-on may need another one for as long as it is there. */
function uses(user: Inventory, used: Inventory, definitions: readonly AddonDefinition[]): boolean {
  const [one, other] = [user, used].map(({ definition }) => kindNamed(definitions, definition));
  if (user.id === used.id || other?.ownName) return false;
  if (one?.ownName || one?.after?.includes(used.definition)) return true;
  return other?.isNetwork === true && !one?.hasNoPods;
}
