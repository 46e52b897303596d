import { expect, test } from "vitest";
import { libvirtHostNamed } from "../../../test/support/libvirt/site.ts";
import { siteHost } from "../../../test/support/proxmox/site.ts";
import { realClock } from "../../lib/index.ts";
import type { OwnedMachine } from "../../plan/index.ts";
import { libvirtProvider } from "../../providers/libvirt/index.ts";
import { proxmoxProvider } from "../../providers/proxmox/index.ts";
import { fleetProvider } from "./fleet-provider.ts";

const nobody = () => Promise.reject(new Error("nobody is asked"));
const ctx = { signal: new AbortController().signal, clock: realClock, log: () => undefined };
const hosts = [siteHost("one", "pve1"), libvirtHostNamed("desk")];
const fleet = fleetProvider(
  [proxmoxProvider({ connect: nobody }), libvirtProvider({ connect: nobody })],
  hosts,
);

const machineOn = (host: string): OwnedMachine => ({
  cluster: "lab",
  node: "cp-1",
  role: "control-plane",
  host,
  on: host,
  isRunning: true,
  image: "",
  memoryMiB: 1024,
  cores: 1,
  dataDisksGiB: [],
  keptDisks: [],
  isProtected: false,
});

test("a host that was not opened belongs to no family, and nothing is guessed about it", async () => {
  const stranger = machineOn("attic");
  await expect(fleet.removalBlockers(ctx, [stranger])).rejects.toThrow(
    'no provider was opened for host "attic"',
  );
  expect(() => fleet.snapshots.describe([stranger], { name: "s" })).toThrow("attic");
});

test("machines of hosts that have no snapshots are named as such, and the others are asked about", async () => {
  expect(await fleet.snapshots.blockers(ctx, [machineOn("desk")])).toMatchObject([
    { why: "cp-1 is a machine of libvirt, and those have no snapshots in this version" },
  ]);
  expect(fleet.snapshots.describe([machineOn("desk")], { name: "s" })).toEqual([]);
  expect(fleet.snapshots.describe([{ ...machineOn("one"), id: 2000 }], { name: "s" })).toMatchObject([
    { kind: "proxmox/snapshot", host: "one" },
  ]);
});

test("whole machines are backed up and restored on Proxmox only, and that is said with what else to do", async () => {
  expect(await fleet.machineBackups.blockers(ctx, [machineOn("desk")], "nas")).toMatchObject([
    { why: "cp-1 is a machine of libvirt, and Slipway backs up whole machines on Proxmox only" },
  ]);
  const wanted = { cluster: "lab", node: "worker-1", hosts: ["desk"], ids: [] };
  await expect(fleet.machineBackups.find(ctx, wanted, undefined)).rejects.toMatchObject({
    code: "RUN_NOT_FROM_BACKUP",
    next: "Make it anew, with its data disks kept: slipway replace lab/worker-1",
  });
  expect(await fleet.machineBackups.list(ctx, [wanted])).toEqual([]);
});

test("a survey of all kinds carries what each of them has seen", async () => {
  const { own } = await fleet.survey(ctx, []);
  expect(own).toMatchObject({ proxmox: { machines: {} }, libvirt: { networks: [] } });
});
