import { expect, test } from "vitest";
import { compareMachine } from "./compare-machine.ts";
import { newMachine, readMachine } from "./machine-config.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";

const want: MachineWant = {
  host: "hydra",
  vmid: 2000,
  cluster: "homelab",
  node: "cp-1",
  role: "control-plane",
  cores: 2,
  memoryMiB: 4096,
  diskGiB: 50,
  dataDisks: [{ sizeGiB: 20, storage: "fast" }],
  storage: "local-lvm",
  image: { storage: "local", file: "slipway-talos.qcow2" },
  bridge: "vmbr0",
  vlan: 14,
  mac: "02:a1:b2:c3:d4:01",
  address: "192.168.1.101",
  prefix: 24,
  gateway: "192.168.1.3",
  dns: ["192.168.1.3", "1.1.1.1"],
  tags: ["slipway", "slipway-homelab"],
  hasAgent: true,
};

/** What Proxmox would answer for the machine that `newMachine` asks for, once it is grown and started. */
function madeFrom(wanted: MachineWant): MachineHave {
  const params = newMachine(wanted, "0.1.0");
  const config: Record<string, string> = Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === "boolean" ? String(Number(value)) : String(value),
    ]),
  );
  config["scsi30"] = "local-lvm:vm-2000-cloudinit,media=cdrom";
  config["scsi0"] = `local-lvm:vm-2000-disk-0,discard=on,size=${wanted.diskGiB}G,ssd=1`;
  wanted.dataDisks.forEach((disk, index) => {
    config[`scsi${index + 1}`] = `fast:vm-2000-disk-${index + 1},discard=on,size=${disk.sizeGiB}G,ssd=1`;
  });
  const have = readMachine(config, { host: "hydra", on: "pve1", vmid: 2000, isRunning: true });
  if (!have) throw new Error("no mark");
  return have;
}

test("a machine made as wanted does not differ", () => {
  expect(compareMachine(want, madeFrom(want))).toEqual({ same: true });
});

test("defaults that Proxmox leaves out do not differ", () => {
  const { vlan: _none, ...untagged } = { ...want, dataDisks: [], cores: 1 };
  expect(compareMachine(untagged, madeFrom(untagged))).toEqual({ same: true });
});

test("another image or another host is no difference", () => {
  const have = { ...madeFrom(want), image: "slipway-old.qcow2", on: "pve3" };
  expect(compareMachine(want, have)).toEqual({ same: true });
});

test.each<
  [string, Partial<MachineWant>, { consequence: string; action: string; fields: [string, string, string][] }]
>([
  [
    "memory",
    { memoryMiB: 12_288 },
    { consequence: "reboot", action: "update", fields: [["memory", "4 GiB", "12 GiB"]] },
  ],
  ["cores", { cores: 4 }, { consequence: "reboot", action: "update", fields: [["cores", "2", "4"]] }],
  [
    "a larger disk",
    { diskGiB: 80 },
    { consequence: "hot", action: "update", fields: [["disk", "50 GiB", "80 GiB"]] },
  ],
  [
    "a smaller disk",
    { diskGiB: 40 },
    { consequence: "data", action: "replace", fields: [["disk", "50 GiB", "40 GiB"]] },
  ],
  [
    "one more data disk",
    { dataDisks: [...want.dataDisks, { sizeGiB: 10, storage: "fast" }] },
    { consequence: "hot", action: "update", fields: [["data disk 2", "none", "10 GiB"]] },
  ],
  [
    "a larger data disk",
    { dataDisks: [{ sizeGiB: 30, storage: "fast" }] },
    { consequence: "hot", action: "update", fields: [["data disk", "20 GiB", "30 GiB"]] },
  ],
  [
    "a smaller data disk",
    { dataDisks: [{ sizeGiB: 10, storage: "fast" }] },
    { consequence: "data", action: "update", fields: [["data disk", "20 GiB", "10 GiB"]] },
  ],
  [
    "no data disk",
    { dataDisks: [] },
    { consequence: "data", action: "update", fields: [["data disk", "20 GiB", "none"]] },
  ],
  [
    "bridge",
    { bridge: "vmbr1" },
    { consequence: "disturb", action: "update", fields: [["bridge", "vmbr0", "vmbr1"]] },
  ],
  ["vlan", { vlan: 15 }, { consequence: "disturb", action: "update", fields: [["vlan", "14", "15"]] }],
  [
    "dns",
    { dns: ["1.1.1.1"] },
    { consequence: "hot", action: "update", fields: [["dns", "192.168.1.3, 1.1.1.1", "1.1.1.1"]] },
  ],
])("%s is told with its consequence", (_name, changed, expected) => {
  const difference = compareMachine({ ...want, ...changed }, madeFrom(want));
  expect(difference).toMatchObject({
    same: false,
    action: expected.action,
    consequence: expected.consequence,
  });
  if (difference.same) return;
  expect(difference.fields).toEqual(expected.fields.map(([field, from, to]) => ({ field, from, to })));
});

test("the gravest consequence counts, and what would be lost is said", () => {
  const difference = compareMachine({ ...want, cores: 4, dataDisks: [] }, madeFrom(want));
  expect(difference).toMatchObject({ consequence: "data", loses: "what is on data disk (20 GiB)" });
});

test("a machine that was cut before it was grown and started is told so", () => {
  const difference = compareMachine(want, { ...madeFrom(want), diskGiB: 1.25, isRunning: false });
  expect(difference).toMatchObject({
    consequence: "hot",
    fields: [
      { field: "disk", from: "1.25 GiB", to: "50 GiB" },
      { field: "power", from: "stopped", to: "running" },
    ],
  });
});

test("newMachine() asks for everything in one call", () => {
  const { description, pool, ...params } = newMachine(want, "0.1.0");
  expect(pool).toBeUndefined();
  expect(description).toContain('"cluster":"homelab"');
  expect(params).toMatchInlineSnapshot(`
    {
      "agent": "enabled=1",
      "balloon": 0,
      "boot": "order=scsi0",
      "cores": 2,
      "cpu": "x86-64-v2-AES",
      "ipconfig0": "ip=192.168.1.101/24,gw=192.168.1.3",
      "memory": "4096",
      "name": "cp-1",
      "nameserver": "192.168.1.3 1.1.1.1",
      "net0": "virtio=02:A1:B2:C3:D4:01,bridge=vmbr0,tag=14",
      "numa": false,
      "onboot": true,
      "ostype": "l26",
      "rng0": "source=/dev/urandom",
      "scsi0": "local-lvm:0,import-from=local:import/slipway-talos.qcow2,discard=on,ssd=1",
      "scsi1": "fast:20,discard=on,ssd=1",
      "scsi30": "local-lvm:cloudinit",
      "scsihw": "virtio-scsi-pci",
      "serial0": "socket",
      "sockets": 1,
      "tags": "slipway;slipway-homelab",
      "vmid": 2000,
    }
  `);
});

/** As an earlier version made it. */
function withSeedOnIde(wanted: MachineWant): MachineHave {
  const { scsi30 = "", ...config } = madeFrom(wanted).config;
  const old = { ...config, ide2: scsi30 };
  const have = readMachine(old, { host: "hydra", on: "pve1", vmid: 2000, isRunning: true });
  if (!have) throw new Error("no mark");
  return have;
}

const onBoard = (machine: "q35" | "i440fx"): MachineWant => ({ ...want, hardware: { machine } });

test.each([want, onBoard("q35"), onBoard("i440fx")])(
  "a machine that runs with its seed on IDE is left as it is [proxmox 4]",
  (wanted) => {
    expect(compareMachine(wanted, withSeedOnIde(wanted))).toEqual({ same: true });
  },
);

test("a machine that changes to q35 takes its seed to a bus that it will still see [proxmox 4]", () => {
  expect(compareMachine(onBoard("q35"), withSeedOnIde(want))).toMatchObject({
    consequence: "reboot",
    fields: [
      { field: "board", from: "i440fx", to: "q35" },
      { field: "seed", from: "ide2", to: "scsi30" },
    ],
  });
  expect(compareMachine(onBoard("q35"), madeFrom(want))).toMatchObject({ fields: [{ field: "board" }] });
});

test("disks on file storages are asked for as qcow2, others as the storage has them [proxmox 7]", () => {
  const uefi = { ...want, storage: "local", fileStorages: ["local", "nfs"], isSecureBoot: true };
  const dataDisks = [
    { sizeGiB: 20, storage: "nfs" },
    { sizeGiB: 5, storage: "fast" },
  ];
  const { scsi0, scsi1, scsi2, efidisk0, tpmstate0 } = newMachine({ ...uefi, dataDisks }, "0.1.0");
  expect({ scsi0, scsi1, scsi2, efidisk0, tpmstate0 }).toEqual({
    scsi0: "local:0,import-from=local:import/slipway-talos.qcow2,discard=on,ssd=1,format=qcow2",
    scsi1: "nfs:20,discard=on,ssd=1,format=qcow2",
    scsi2: "fast:5,discard=on,ssd=1",
    efidisk0: "local:1,efitype=4m,pre-enrolled-keys=0,format=qcow2",
    tpmstate0: "local:1,version=v2.0",
  });
});

test("a raw disk that is there is no difference [proxmox 7]", () => {
  const have = madeFrom(want);
  have.config["scsi1"] = "fast:2000/vm-2000-disk-1.raw,discard=on,size=20G,ssd=1";
  expect(compareMachine({ ...want, fileStorages: ["fast"] }, have)).toEqual({ same: true });
});
