import type { OpenedBackup } from "../../../src/backups/index.ts";
import { restoreCluster, type RestoreRequest } from "../../../src/operations/restore/restore.ts";
import { assemble } from "../../../src/operations/planning/assemble.ts";
import type { RunReport } from "../../../src/operations/index.ts";
import type { EventBody, Tell } from "../../../src/plan/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/index.ts";
import { runningSite, type RehearsalSite, type RehearsalSiteOptions } from "../sim/rehearsal-site.ts";

/** A running cluster that somebody writes into, and that is restored. */
export interface RestoringSite extends AsyncDisposable {
  site: RehearsalSite;
  world(tell?: Tell): World;
  /** Somebody writes an object. */
  note(name: string): Promise<void>;
  /** The objects that were written and are there. */
  notes(): Promise<string[]>;
  restore(
    backup: OpenedBackup,
    request?: Partial<RestoreRequest>,
  ): Promise<{ report: RunReport; events: EventBody[] }>;
}

const never = new AbortController().signal;
const kind = { apiVersion: "v1", kind: "ConfigMap" };

export async function restoringSite(fleet: Fleet, options?: RehearsalSiteOptions): Promise<RestoringSite> {
  const site = await runningSite(fleet, options);
  const world = (tell: Tell = () => undefined): World => site.rehearsal.world(never, tell);
  const [cluster] = fleet.clusters;
  if (!cluster) throw new Error("the fleet has no cluster");
  const kube = async () => {
    const client = await assemble(world(), fleet).openKube(cluster);
    if (!client) throw new Error("there is no API");
    return client;
  };
  return {
    site,
    world,
    async note(name) {
      const manifest = { ...kind, metadata: { name, namespace: "default" }, data: { of: name } };
      await (await kube()).apply(manifest, { fieldManager: "somebody" });
    },
    async notes() {
      const { items } = await (await kube()).list({ ...kind, namespace: "default" });
      return items.map(({ metadata }) => metadata?.name ?? "").filter((name) => !name.startsWith("kube-"));
    },
    async restore(backup, request) {
      const events: EventBody[] = [];
      const whole: RestoreRequest = {
        ...{ fleet, cluster: cluster.name, backup, source: "lab.slipway-backup" },
        confirm: () => Promise.resolve(true),
        ...request,
      };
      return {
        report: await restoreCluster(
          whole,
          world((event) => void events.push(event)),
        ),
        events,
      };
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
