import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { restoreCluster } from "../../src/operations/restore/restore.ts";
import { assemble } from "../../src/operations/planning/assemble.ts";
import type { OpenedBackup } from "../../src/backups/index.ts";
import { takenBackup } from "../support/backups/taken-backup.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);

const never = new AbortController().signal;
const worldOf = (site: RehearsalSite, tell: (event: EventBody) => void = () => undefined) =>
  site.rehearsal.world(never, tell);

async function kubeOf(site: RehearsalSite) {
  const kube = await assemble(worldOf(site), fleet).openKube(fleet.clusters[0]!);
  if (!kube) throw new Error("no API");
  return kube;
}

async function note(site: RehearsalSite, name: string) {
  const manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: { name },
  };
  await (await kubeOf(site)).apply(manifest, { fieldManager: "somebody" });
}
async function notes(site: RehearsalSite): Promise<string[]> {
  const found = await (
    await kubeOf(site)
  ).list({ apiVersion: "v1", kind: "ConfigMap", namespace: "default" });
  return found.items.map(({ metadata }) => metadata?.name ?? "").filter((name) => !name.startsWith("kube-"));
}

async function restore(site: RehearsalSite, backup: OpenedBackup) {
  const events: EventBody[] = [];
  const report = await restoreCluster(
    { fleet, cluster: "lab", backup, source: "lab.backup", confirm: () => Promise.resolve(true) },
    worldOf(site, (event) => events.push(event)),
  );
  return { report, events };
}

test(
  "all machines and secrets gone: one command brings back what the backup holds",
  { timeout: 300_000 },
  async () => {
    await using site = await runningSite(fleet);
    await note(site, "before");
    const backup = await takenBackup(worldOf(site), "lab", "10.8.0.10");
    await note(site, "after");
    for (const vmid of site.machines()) await site.removeByHand(vmid);
    await rm(path.join(site.folder, "lab"), { recursive: true });
    const { report, events } = await restore(site, backup);
    expect(errorsIn(events)).toEqual([]);
    expect(report.outcome).toBe("done");
    expect(await notes(site)).toEqual(["before"]);
    expect(site.rehearsal.datacenter.talos.recoveries()).toEqual({ lab: 1 });
  },
);

test(
  "two of three control planes gone: the third is emptied, and the cluster comes back",
  { timeout: 300_000 },
  async () => {
    await using site = await runningSite(fleet);
    await note(site, "before");
    const backup = await takenBackup(worldOf(site), "lab", "10.8.0.10");
    await note(site, "after");
    expect((await restore(site, backup)).report.error).toMatchObject({ code: "RESTORE_CLUSTER_RUNS" });
    await site.removeByHand(2000);
    await site.removeByHand(2002);
    const { report, events } = await restore(site, backup);
    expect(errorsIn(events)).toEqual([]);
    expect(report.outcome).toBe("done");
    expect(await notes(site)).toEqual(["before"]);
  },
);
