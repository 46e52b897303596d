import { errorData, SlipwayError } from "../../errors/index.ts";
import type { Check, Finding } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { AddonWant } from "./addon.ts";
import type { AddonWorld } from "./addon-world.ts";
import { addonNotHealthy, noApi } from "./errors.ts";
import { findFault } from "./readiness.ts";

/** One check per add-on: its workloads run and its objects say that they work. */
export const addonHealth = (world: AddonWorld, cluster: Cluster, wants: AddonWant[]): Check[] =>
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
