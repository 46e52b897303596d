import { expect, test } from "vitest";
import { proxmoxSite, siteHost } from "../../../../test/support/proxmox/site.ts";
import type { ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { FaultKind } from "../../../sim/index.ts";
import { proxmoxProvider } from "../index.ts";
import type { MachineWant } from "./machine-want.ts";
import { markText } from "../mark.ts";
import { machine, running } from "../../../../test/support/proxmox/running-machine.ts";

const twoStorages = `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  slow: { type: dir, size: 500GiB, content: [images] }`;

const site = () => proxmoxSite();

test("what somebody changed by hand is told and put back", async () => {
  await using here = await site();
  const { byHand, compare, update, want, config } = await running(here);
  await here.client.stopMachine(machine).then((task) => task.wait());
  await byHand({
    name: "renamed",
    ostype: "other",
    balloon: 1024,
    scsihw: "lsi",
    numa: true,
    cpu: "kvm64",
    onboot: false,
    net0: "e1000=02:AA:BB:CC:DD:01,bridge=vmbr0",
    scsi1: "fast:vm-2000-disk-1",
    delete: "serial0,rng0,tags,scsi30",
  });
  const difference = await compare();
  expect(difference.same ? [] : difference.fields.map((each) => each.field)).toEqual([
    "cpu",
    "numa",
    "random numbers",
    "ballooning",
    "controller",
    "console",
    "guest system",
    "options of data disk",
    "storage of seed",
    "NIC model",
    "name",
    "starts with host",
    "tags",
    "power",
  ]);
  await update();
  expect(await compare()).toEqual({ same: true });
  expect(await config()).toMatchObject({ name: want.node, serial0: "socket", cpu: "x86-64-v2-AES" });
});

test("what the file has no word for is left alone, also where a word of ours changes beside it", async () => {
  await using here = await site();
  const { byHand, compare, update, want, config } = await running(here);
  const { scsi0 = "", scsi1 = "", description = "" } = await config();
  await here.client.stopMachine(machine).then((task) => task.wait());
  await byHand({
    vga: "std",
    hotplug: "disk",
    cpu: "x86-64-v2-AES,flags=+pcid",
    net0: "virtio=02:AA:BB:CC:DD:01,bridge=vmbr0,queues=4,rate=100",
    scsi0: `${scsi0},cache=writeback`,
    scsi1: `${scsi1},backup=0`,
    ipconfig0: "gw=10.1.0.1,ip=10.1.0.11/24,ip6=auto",
    machine: "pc-i440fx-9.2+pve1",
    startup: "order=7,down=120",
    description: `Ask Eva before you stop it.\n\n${description}`,
  });
  await here.client.startMachine(machine).then((task) => task.wait());
  expect(await compare()).toEqual({ same: true });
  const changed: MachineWant = {
    ...want,
    bridge: "vmbr1",
    address: "10.1.0.12",
    hardware: { cpu: "host", ioThreads: true, start: { onBoot: true, order: 8 } },
    isProtected: true,
  };
  await update(changed);
  expect(await compare(changed)).toEqual({ same: true });
  expect(await config()).toMatchObject({
    vga: "std",
    hotplug: "disk",
    cpu: "host,flags=+pcid",
    net0: "virtio=02:AA:BB:CC:DD:01,bridge=vmbr1,queues=4,rate=100",
    scsi0: expect.stringMatching(/cache=writeback,discard=on,iothread=1/) as string,
    scsi1: expect.stringMatching(/backup=0,discard=on,iothread=1/) as string,
    ipconfig0: expect.stringContaining("ip6=auto") as string,
    machine: "pc-i440fx-9.2+pve1",
    startup: "order=8,down=120",
    description: expect.stringMatching(/^Ask Eva .*"protect":true/s) as string,
  });
});

test("what a run has left waiting for a restart is told as that, and the next run finishes it", async () => {
  await using here = await site();
  const { byHand, compare, update, want, restarts } = await running(here);
  const larger = { ...want, memoryMiB: 3072, cores: 4 };
  await byHand({ memory: "3072" });
  expect(await compare(larger)).toMatchObject({
    consequence: "reboot",
    fields: [
      { field: "cores", from: "2", to: "4" },
      { field: "memory", from: "2 GiB", to: "3 GiB, waits for a restart" },
    ],
  });
  await update(larger);
  expect(restarts()).toBe(1);
  expect(await compare(larger)).toEqual({ same: true });
});

test("a change that somebody left waiting and that the file does not want is taken back without a restart", async () => {
  await using here = await site();
  const { byHand, compare, update, restarts } = await running(here);
  await byHand({ memory: "8192", vga: "std" });
  expect(await compare()).toMatchObject({
    consequence: "hot",
    fields: [{ field: "memory", from: "8 GiB at the next start", to: "2 GiB" }],
  });
  await update();
  expect(restarts()).toBe(0);
  expect(await compare()).toEqual({ same: true });
  const { now, next } = await here.client.machineState(machine);
  expect([now["memory"], next["memory"], next["vga"]]).toEqual(["2048", "2048", "std"]);
});

test("a card that cannot be plugged is taken back: with it the machine might not start again", async () => {
  await using here = await site();
  const { compare, update, want, restarts } = await running(here);
  await expect(update({ ...want, bridge: "vmbr9", tags: [...want.tags, "z"] })).rejects.toMatchObject({
    code: "PVE_CARD_NOT_PLUGGED",
    what: 'Cannot change bridge of machine "cp-1" while it runs',
  });
  expect(restarts()).toBe(0);
  // What needs no plug Proxmox has done beside it.
  expect(await compare({ ...want, tags: [...want.tags, "z"] })).toEqual({ same: true });
  const { now, next } = await here.client.machineState(machine);
  expect(next).toEqual(now);
});

test("memory grows while the machine runs only where Proxmox was told to plug it; where that fails it is not restarted unasked", async () => {
  await using here = await site();
  const { byHand, compare, update, want, restarts } = await running(here, { hardware: { numa: true } });
  const larger = { ...want, memoryMiB: 3072 };
  expect(await compare(larger)).toMatchObject({ consequence: "reboot" });
  await here.client.stopMachine(machine).then((task) => task.wait());
  await byHand({ hotplug: "network,disk,memory" });
  await here.client.startMachine(machine).then((task) => task.wait());
  expect(await compare(larger)).toMatchObject({ consequence: "hot" });
  expect(await compare({ ...want, memoryMiB: 1024 })).toMatchObject({ consequence: "reboot" });
  // The simulated guest takes no memory while it runs.
  await expect(update(larger)).rejects.toMatchObject({ code: "PVE_WAITS_FOR_RESTART" });
  expect(restarts()).toBe(0);
  expect(await compare(larger)).toMatchObject({
    consequence: "reboot",
    fields: [{ field: "memory", to: "3 GiB, waits for a restart" }],
  });
  await update(larger);
  expect(restarts()).toBe(1);
  expect(await compare(larger)).toEqual({ same: true });
});

test("a change of somebody else since the machine was looked at is not overwritten", async () => {
  await using here = await site();
  const { want, read } = await running(here);
  let isFirst = true;
  const meddling: ProxmoxClient = {
    ...here.client,
    changeMachine: async (ref, change, signal) => {
      if (isFirst) await (await here.client.changeMachine(ref, { tags: "theirs" })).wait();
      isFirst = false;
      return here.client.changeMachine(ref, change, signal);
    },
  };
  const provider = proxmoxProvider({ connect: async () => meddling }).open([siteHost("one", "pve1")]);
  const resource = here.resource("proxmox/machine", provider);
  const changed = { ...want, bridge: "vmbr1" };
  const have = await read();
  await expect(resource.update(here.ctx, changed, have)).rejects.toMatchObject({
    code: "PVE_CHANGED_MEANWHILE",
    transient: true,
  });
  expect((await read()).tags).toEqual(["theirs"]);
  await resource.update(here.ctx, changed, await read());
  expect(resource.compare(changed, await read())).toEqual({ same: true });
});

test("a disk that snapshots hold where it is says so", async () => {
  await using here = await proxmoxSite({
    storages: twoStorages,
  });
  const { update, want } = await running(here);
  const state = here.proxmox.state().vms["2000"];
  if (!state) throw new Error("no machine");
  state.snapshots["before"] = { config: { ...state.config }, disks: {}, takenAt: 0, description: "" };
  await expect(update({ ...want, storage: "slow" })).rejects.toMatchObject({
    code: "PVE_DISK_HAS_SNAPSHOTS",
    what: 'Cannot move scsi0 of machine "cp-1" to storage "slow"',
  });
});

test.each<[FaultKind, string]>([
  ["lost-reply", "POST /nodes/{node}/qemu/{vmid}/config"],
  ["refuse", "POST /nodes/{node}/qemu/{vmid}/config"],
  ["lock", "POST /nodes/{node}/qemu/{vmid}/config"],
  ["lost-reply", "POST /nodes/{node}/qemu/{vmid}/move_disk"],
  ["lost-reply", "PUT /nodes/{node}/qemu/{vmid}/resize"],
  ["lost-reply", "POST /nodes/{node}/qemu/{vmid}/status/shutdown"],
  ["lost-reply", "POST /nodes/{node}/qemu/{vmid}/status/start"],
  ["refuse", "POST /nodes/{node}/qemu/{vmid}/status/start"],
])(
  "cut by a %s at %s, a change is finished by the next run and leaves nothing behind",
  async (kind, call) => {
    // The first of these calls is the making of the machine; the fault is for its change.
    const isOfMaking = call.endsWith("/resize") || call.endsWith("/start");
    await using here = await proxmoxSite({
      storages: twoStorages,
      faults: [{ call: `proxmox ${call}`, kind, after: isOfMaking ? 1 : 0 }],
    });
    const { want, update, compare, read } = await running(here);
    const changed: MachineWant = {
      ...want,
      memoryMiB: 3072,
      diskGiB: 30,
      storage: "slow",
      bridge: "vmbr1",
      dataDisks: [...want.dataDisks, { sizeGiB: 7, storage: "slow" }],
    };
    const failures: unknown[] = [];
    for (let attempt = 0; attempt < 4 && !(await compare(changed)).same; attempt += 1) {
      await update(changed).catch((thrown: unknown) => {
        failures.push(thrown);
      });
      await here.clock.sleep(10_000);
    }
    expect(await compare(changed)).toEqual({ same: true });
    expect((await read()).isRunning).toBe(true);
    const volumes = here.proxmox.state().volumes.filter((volume) => volume.vmid === machine.vmid);
    // System disk, two data disks and the seed.
    expect(volumes.map(({ storage }) => storage).toSorted()).toEqual(["fast", "fast", "slow", "slow"]);
    expect(failures).toMatchObject([{ transient: true }]);
  },
);

test("protection is lifted for a disk that goes, and put back", async () => {
  await using here = await site();
  const { compare, update, want, config } = await running(here, { isProtected: true });
  const without = { ...want, dataDisks: [] };
  await update(without);
  expect(await compare(without)).toEqual({ same: true });
  expect(await config()).toMatchObject({ protection: "1" });
});

test("what somebody has protected by hand stays protected", async () => {
  await using here = await site();
  const { byHand, compare } = await running(here);
  await byHand({ protection: true });
  expect(await compare()).toEqual({ same: true });
});

test("without a TPM the keys in it are lost, which is said", async () => {
  await using here = await site();
  const { compare, want } = await running(here, { hardware: { tpm: true } });
  const { hardware: _none, ...without } = want;
  expect(await compare(without)).toMatchObject({
    consequence: "data",
    loses: expect.stringContaining("the keys in the TPM of cp-1") as string,
  });
});

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s a machine becomes as wanted from whatever it was",
  async (version) => {
    await using here = await proxmoxSite({ version });
    const { want, update, compare, config } = await running(here);
    const { cluster, node, role, image } = want;
    await here.client.stopMachine(machine).then((task) => task.wait());
    await here.client.removeMachine(machine).then((task) => task.wait());
    const strange = {
      vmid: machine.vmid,
      description: markText({ cluster, node, role, image: image.file, slipway: "" }),
      virtio0: "fast:2",
      boot: "order=virtio0",
      memory: "256",
      net0: "rtl8139,bridge=vmbr1",
      net3: "virtio,bridge=vmbr1",
      agent: "1,fstrim_cloned_disks=1",
    };
    await here.client.createMachine("pve1", strange).then((task) => task.wait());
    await update();
    expect(await compare()).toEqual({ same: true });
    expect(await config()).toMatchObject({
      virtio0: expect.stringMatching(/discard=on,size=20G$/) as string,
      agent: "enabled=0,fstrim_cloned_disks=1",
    });
  },
);

test("the other board comes with the seed on another bus, also on a protected machine [proxmox 4]", async () => {
  await using here = await site();
  const { byHand, compare, update, want, config, restarts } = await running(here);
  await here.client.stopMachine(machine).then((task) => task.wait());
  await byHand({ delete: "scsi30", force: true });
  await byHand({ ide2: "fast:cloudinit" });
  await here.client.startMachine(machine).then((task) => task.wait());
  expect(await compare()).toEqual({ same: true });
  const changed: MachineWant = { ...want, hardware: { machine: "q35" }, isProtected: true };
  await update(changed);
  expect(restarts()).toBe(1);
  expect(await config()).toMatchObject({
    machine: "q35",
    scsi30: expect.stringContaining("cloudinit") as string,
  });
  expect(await config()).not.toHaveProperty("ide2");
  expect(await compare(changed)).toEqual({ same: true });
});
