import { SlipwayError } from "../../errors/index.ts";
import type { AnyResource, Check, Graph, ReadContext, StepId } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { addonDefinitions } from "../definitions.ts";
import { addonResource, type AddonWant } from "./addon.ts";
import type { AddonWorld } from "./addon-world.ts";
import { describeAddons, describeLeavers, networkStep } from "./describe.ts";
import { addonHealth } from "./health.ts";
import { listInventories } from "./inventory.ts";
import { addonPreflight } from "./preflight.ts";
import { addonStatus, type AddonStatus } from "./status.ts";

/** What is installed on top of Kubernetes. */
export interface Addons {
  resources: AnyResource[];
  /** Add-ons of a cluster, as graph nodes. Those that use the cluster's own Proxmox account come after it is made. */
  describe(cluster: Cluster, apiStep: StepId, accountSteps?: StepId[]): Promise<Graph>;
  /** The step that connects the pods, when an add-on does. */
  networkStep(cluster: Cluster): StepId | undefined;
  /** Add-ons that were made and are not in the file any more. Empty where the API does not answer. */
  describeLeavers(ctx: ReadContext, cluster: Cluster): Promise<Graph>;
  /** What must be true before anything is changed, for the add-ons of a graph. */
  preflight(cluster: Cluster, graph: Graph): Check[];
  /** How each stands; undefined where the API does not answer. */
  status(cluster: Cluster, signal: AbortSignal): Promise<AddonStatus[] | undefined>;
  /** Whether each add-on works. */
  health(cluster: Cluster): Promise<Check[]>;
}

export function addonsIn(world: AddonWorld): Addons {
  const describe = (cluster: Cluster, apiStep: StepId, accountSteps: StepId[] = []) =>
    describeAddons(world, cluster, apiStep, accountSteps);
  return {
    resources: [addonResource(world, addonDefinitions)],
    describe,
    networkStep,
    async describeLeavers(ctx, cluster) {
      try {
        const kube = await world.openKube(cluster);
        const inventories = kube ? await listInventories(kube, ctx.signal) : [];
        return describeLeavers(cluster, inventories, addonDefinitions);
      } catch (thrown) {
        // Nothing is removed from a cluster that nobody can ask.
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      }
    },
    preflight: (cluster, graph) => addonPreflight(world, cluster, wantsIn(cluster, graph)),
    status: async (cluster, signal) =>
      addonStatus(world, cluster, wantsIn(cluster, await describe(cluster, "")), signal),
    health: async (cluster) => addonHealth(world, cluster, wantsIn(cluster, await describe(cluster, ""))),
  };
}

const wantsIn = (cluster: Cluster, graph: Graph): AddonWant[] =>
  graph
    .filter((node) => node.kind === "addon" && node.cluster === cluster.name)
    .map((node) => node.want as AddonWant);
