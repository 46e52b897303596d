import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { takenBackup } from "../support/backups/taken-backup.ts";
import { restoringSite } from "../support/backups/restoring-site.ts";
import { errorsIn, fleetOf } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** K3s comes back from a backup: on new machines, and on those that have lost their quorum. */

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.9.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    k3s: { version: 1.36.3+k3s1, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.9.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);

test("three servers and their secrets gone: one command", async () => {
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
  expect((await site.plan(fleet)).changes).toEqual([]);
});

test(
  "a server that lost the two others holds nothing any more: it is reset, and they join it",
  whole,
  async () => {
    await using lab = await restoringSite(fleet);
    const { site } = lab;
    await lab.note("before");
    const backup = await takenBackup(lab.world(), fleet);
    await lab.note("after");
    expect((await lab.restore(backup)).report.error).toMatchObject({ code: "RESTORE_CLUSTER_RUNS" });
    await site.removeByHand(2001);
    await site.removeByHand(2002);
    const { report, events } = await lab.restore(backup);
    expect(errorsIn(events)).toEqual([]);
    expect(report.outcome).toBe("done");
    expect(await lab.notes()).toEqual(["before"]);
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);
