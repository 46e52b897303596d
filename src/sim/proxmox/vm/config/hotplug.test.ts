import { expect, test } from "vitest";
import { bench, type Bench } from "../../../../../test/support/sim-proxmox-bench.ts";

const machine = {
  vmid: "100",
  scsi0: "local-lvm:8",
  scsi1: "local-lvm:1",
  net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
  efidisk0: "local-lvm:1",
  agent: "1",
  balloon: "256",
};
const config = "/nodes/hydra/qemu/100/config";

async function running(): Promise<Bench> {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  return box;
}

const waiting = (box: Bench) => box.sim.state().vms["100"]?.pending.set;

test.each([
  ["what the host alone minds", { name: "other", cpulimit: "1", onboot: "1" }],
  ["another share of the memory", { balloon: "128" }],
  ["what can be plugged, if processors and memory stay out of it", { hotplug: "disk" }],
  ["a new disk on a bus that takes it", { scsi2: "local-lvm:1" }],
  ["limits of a disk", { scsi0: "local-lvm:vm-100-disk-1,iops=100" }],
  ["the cable of a card", { net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,link_down=1" }],
  ["how the agent trims", { agent: "1,fstrim_cloned_disks=1" }],
  ["what is on the cloud-init drive", { ciuser: "someone", ipconfig0: "ip=dhcp" }],
] as [string, Record<string, string>][])("a running machine takes over at once: %s", async (_, change) => {
  const box = await running();
  expect(await box.ask("PUT", config, change)).toMatchObject({ status: 200 });
  expect(waiting(box)).toEqual({});
});

test.each([
  ["processors and memory", { cores: "2", memory: "1024" }],
  ["no memory to share any more", { balloon: "0" }],
  ["processors that can be plugged", { hotplug: "disk,cpu" }],
  ["a new disk on a bus that takes none", { sata0: "local-lvm:1" }],
  ["another way to write", { scsi0: "local-lvm:vm-100-disk-1,cache=writeback" }],
  ["the agent switched off", { agent: "0" }],
] as [string, Record<string, string>][])("its next start takes over: %s", async (_, change) => {
  const box = await running();
  expect(await box.ask("PUT", config, change)).toMatchObject({ status: 200 });
  expect(Object.keys(waiting(box) ?? {})).toEqual(Object.keys(change));
});

test("what cannot be plugged waits, and what can is done beside it", async () => {
  const box = await running();
  const answer = await box.ask("PUT", config, {
    name: "other",
    net1: "virtio,bridge=no-such",
    net0: "e1000=BC:24:11:00:00:01,bridge=vmbr0",
  });
  expect(answer.status).toBe(400);
  expect(Object.keys(waiting(box) ?? {})).toEqual(["net1", "net0"]);
  expect(box.sim.state().vms["100"]?.config["name"]).toBe("other");
});

test("firmware drives leave with the power, and a wish to destroy is kept as one", async () => {
  const box = await running();
  expect((await box.ask("PUT", config, { delete: "efidisk0", force: "1" })).status).toBe(200);
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/pending")).data).toContainEqual(
    expect.objectContaining({ key: "efidisk0", delete: 2 }),
  );
  await box.run("POST", "/nodes/hydra/qemu/100/status/stop");
  const { config: now = {} } = box.sim.state().vms["100"] ?? {};
  expect(Object.keys(now).filter((key) => /^(?:efidisk|unused)/.test(key))).toEqual([]);
});

test("the cloud-init drive of a running machine is as old as it is until it is made anew", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", {
    ...machine,
    ide2: "local-lvm:cloudinit",
    ciuser: "a",
    nameserver: "10.0.0.1",
  });
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  await box.ask("PUT", config, { ciuser: "b", searchdomain: "lab", delete: "nameserver" });
  const drive = "/nodes/hydra/qemu/100/cloudinit";
  expect((await box.ask("GET", drive)).data).toEqual([
    { key: "searchdomain", pending: "lab" },
    { key: "ciuser", value: "a", pending: "b" },
    { key: "nameserver", delete: 1 },
  ]);
  await box.ask("PUT", drive);
  expect((await box.ask("GET", drive)).data).toEqual(
    expect.arrayContaining([
      { key: "searchdomain", value: "lab" },
      { key: "ciuser", value: "b" },
    ]),
  );
});
