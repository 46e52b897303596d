import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { takenBackup } from "../support/backups/taken-backup.ts";
import { restoringSite } from "../support/backups/restoring-site.ts";
import { errorsIn, fleetOf } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Talos comes back from a backup: on new machines, and on those that have lost their quorum. */

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);

test("all machines and the secrets gone: one command brings back what the backup holds", async () => {
  await using lab = await restoringSite(fleet);
  const { site } = lab;
  await lab.note("before");
  const backup = await takenBackup(lab.world(), fleet);
  await lab.note("after");
  for (const vmid of site.machines()) await site.removeByHand(vmid);
  await rm(path.join(site.folder, "lab"), { recursive: true });
  const { report, events } = await lab.restore(backup);
  expect(errorsIn(events)).toEqual([]);
  expect(report.outcome).toBe("done");
  expect(await lab.notes()).toEqual(["before"]);
  expect(site.rehearsal.datacenter.talos.recoveries()).toEqual({ lab: 1 });
  expect((await site.plan(fleet)).changes).toEqual([]);
  // Finished: what works now is the cluster, and is not rolled back by a second call.
  const again = await lab.restore(backup);
  expect(again.report).toMatchObject({ outcome: "refused", error: { code: "RESTORE_CLUSTER_RUNS" } });
});

test(
  "two of three control planes gone: the third is emptied, and the cluster comes back",
  whole,
  async () => {
    await using lab = await restoringSite(fleet);
    const { site } = lab;
    await lab.note("before");
    const backup = await takenBackup(lab.world(), fleet);
    await lab.note("after");
    const early = await lab.restore(backup);
    expect(early.report.error).toMatchObject({ code: "RESTORE_CLUSTER_RUNS" });
    expect(early.report.error?.why).toContain("cp-1, cp-2, cp-3 answer");
    await site.removeByHand(2000);
    await site.removeByHand(2002);
    const { report, events } = await lab.restore(backup);
    expect(errorsIn(events)).toEqual([]);
    expect(report.outcome).toBe("done");
    expect(await lab.notes()).toEqual(["before"]);
    expect(site.rehearsal.datacenter.talos.recoveries()).toEqual({ lab: 1 });
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);
