import { connectKube, type KubeClient } from "../../../src/clients/kube/index.ts";
import type { HelmClient } from "../../../src/clients/helm/index.ts";
import { assemble } from "../../../src/operations/planning/assemble.ts";
import type { Plan } from "../../../src/plan/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/world.ts";
import {
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  type RehearsalSiteOptions,
} from "../sim/rehearsal-site.ts";

/** A small cluster with these add-ons, each a line of YAML. */
export const fleetWith = (addons: string[], more: { workers?: number; cluster?: string } = {}): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.14.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.14.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: ${more.workers ?? 1}, memory: 4GiB, address: .20, vmid: 3000, dataDisks: [{ size: 20GiB, for: longhorn }] }
${more.cluster ?? ""}    addons: ${addons.length === 0 ? "[]" : ""}
${addons.map((addon) => `      - ${addon}`).join("\n")}
`);

/** A rehearsed cluster, and what people do to it by hand. */
export interface AddonSite extends RehearsalSite {
  kube: KubeClient;
  helm: HelmClient;
  /** What a plan would do to add-ons: `update longhorn [version: 1 -> 2]`. */
  changes(wanted: Fleet): Promise<string[]>;
}

const never = new AbortController().signal;

/** A cluster that is up with the add-ons of the file. */
export async function addonSite(fleet: Fleet, options: RehearsalSiteOptions = {}): Promise<AddonSite> {
  const site = await rehearsalSite(fleet, options);
  const world = site.rehearsal.world(never, () => {});
  const up = await site.up(fleet);
  if (up.runReport.outcome !== "done")
    throw new Error(`the cluster did not come up: ${JSON.stringify(up.runReport)}`);
  const { kube, kubeconfig } = await kubeOf(fleet, world);
  return {
    ...site,
    kube,
    helm: await world.openHelm({ kubeconfig }),
    changes: async (wanted) => changesIn(await site.plan(wanted)),
    async [Symbol.asyncDispose]() {
      kube.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

/** A client for the first cluster of the file, as its administrator. */
export async function kubeOf(fleet: Fleet, world: World): Promise<{ kube: KubeClient; kubeconfig: string }> {
  const [cluster] = fleet.clusters;
  const kubeconfig = cluster && (await assemble(world, fleet).distribution.kubeconfig(cluster));
  if (kubeconfig === undefined) throw new Error("nobody can log in");
  return { kube: connectKube({ kubeconfig, dial: world.dial, clock: world.clock }), kubeconfig };
}

export const changesIn = (plan: Plan): string[] =>
  plan.changes
    .filter(({ node }) => node.kind === "addon")
    .map(
      ({ node, action, fields }) =>
        `${action} ${node.id.replace("lab/addon/", "")}${fields.map(({ field, from, to }) => ` [${field}: ${from} -> ${to}]`).join("")}`,
    );
