import { errorData, SlipwayError } from "../../errors/index.ts";
import type { AnyResource, Check, Finding, Graph, ReadContext, StepId } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { AddonDefinition } from "../common/index.ts";
import { addonResource } from "./addon.ts";
import type { AddonWant } from "./addon-want.ts";
import type { AddonWorld } from "./addon-world.ts";
import { describeAddons, describeLeftovers, networkStep } from "./describe.ts";
import { addonNotHealthy, noApi } from "./errors.ts";
import { listInventories } from "./inventory.ts";
import { addonPreflight } from "./preflight.ts";
import { findFault } from "./readiness.ts";
import { addonStatus, type AddonStatus } from "./status.ts";

/** What is installed on top of Kubernetes. */
export interface Addons {
  resources: AnyResource[];
  /** Add-ons of a cluster, as graph nodes. Those that use the cluster's own Proxmox account come after it is made. */
  describe(cluster: Cluster, apiStep: StepId, accountSteps?: StepId[]): Promise<Graph>;
  /** The step that connects the pods, when an add-on does. */
  networkStep(cluster: Cluster): StepId | undefined;
  /** Add-ons that were made and are not in the file any more. Empty where the API does not answer. */
  describeLeftovers(ctx: ReadContext, cluster: Cluster): Promise<Graph>;
  /** What must be true before anything is changed, for the add-ons of a graph. */
  preflight(cluster: Cluster, graph: Graph): Check[];
  /** How each stands; undefined where the API does not answer. */
  status(cluster: Cluster, signal: AbortSignal): Promise<AddonStatus[] | undefined>;
  /** Whether each add-on works. */
  health(cluster: Cluster): Promise<Check[]>;
}

/** `definitions`: the add-ons there are, whether a cluster has them or not. */
export function addonsIn(world: AddonWorld, definitions: readonly AddonDefinition[]): Addons {
  const describe = (cluster: Cluster, apiStep: StepId, accountSteps: StepId[] = []) =>
    describeAddons(world, definitions, cluster, apiStep, accountSteps);
  return {
    resources: [addonResource(world, definitions)],
    describe,
    networkStep,
    async describeLeftovers(ctx, cluster) {
      try {
        const kube = await world.openKube(cluster);
        const inventories = kube ? await listInventories(kube, ctx.signal) : [];
        return describeLeftovers(cluster, inventories, definitions);
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

/** One check per add-on: its workloads run and its objects say that they work. */
const addonHealth = (world: AddonWorld, cluster: Cluster, wants: AddonWant[]): Check[] =>
  wants.map((want) => ({
    id: `addon-${want.addon.id}`,
    title: `Add-on ${want.addon.id}`,
    async run({ signal }): Promise<Finding> {
      if (want.addon.owner === "gitops")
        return { status: "skipped", because: "it was handed over to GitOps" };
      const needed = `${want.addon.id} ${want.version} ready`;
      const kube = await world.openKube(cluster);
      if (!kube) return { status: "failed", needed, error: errorData(noApi(cluster.name)) };
      try {
        const fault = await findFault(world, kube, want, signal);
        if (fault === undefined) return { status: "ok", needed, found: `${want.version}, ready` };
        const error = addonNotHealthy({ cluster: cluster.name, addon: want.addon.id, why: fault.why });
        return fault.nodes
          ? {
              status: "failed",
              needed,
              found: `${want.version}, not ready`,
              nodes: fault.nodes,
              error: errorData(error),
            }
          : { status: "failed", needed, found: fault.why, error: errorData(error) };
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        return { status: "failed", needed, found: thrown.why, error: errorData(thrown) };
      }
    },
  }));
