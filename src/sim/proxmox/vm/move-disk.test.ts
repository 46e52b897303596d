import { expect, test } from "vitest";
import { defaultDatacenter, type DatacenterFile } from "../../datacenter-file.ts";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

const shelf = { vmid: "900", name: "shelf" };
const owner = {
  vmid: "100",
  name: "db",
  scsi0: "local-lvm:20",
  scsi1: "local-lvm:30,discard=on",
  boot: "order=scsi0;scsi1",
};

const configOf = async (box: Bench, vmid: number) =>
  (await box.ask("GET", `/nodes/hydra/qemu/${vmid}/config`)).data as Record<string, string>;

const move = (box: Bench, params: Record<string, string>, vmid = 100) =>
  box.ask("POST", `/nodes/hydra/qemu/${vmid}/move_disk`, params);

async function withMachines(): Promise<Bench> {
  const box = await bench();
  expect(await box.run("POST", "/nodes/hydra/qemu", owner)).toBe("OK");
  expect(await box.run("POST", "/nodes/hydra/qemu", shelf)).toBe("OK");
  return box;
}

const toShelf = { disk: "scsi1", "target-vmid": "900", "target-disk": "unused0" };

test("a disk given to another machine carries its number and its content, and comes back the same way", async () => {
  const box = await withMachines();
  const disk = box.sim.state().volumes.find((volume) => volume.name === "vm-100-disk-1");
  if (disk) disk.data = { rows: 42 };
  expect(await box.run("POST", "/nodes/hydra/qemu/100/move_disk", toShelf)).toBe("OK");
  expect(await configOf(box, 900)).toMatchObject({ unused0: "local-lvm:vm-900-disk-0" });
  const left = await configOf(box, 100);
  expect(left["scsi1"]).toBeUndefined();
  expect(left["boot"]).toBe("order=scsi0");
  expect(await box.run("DELETE", "/nodes/hydra/qemu/100")).toBe("OK");
  expect(await box.run("POST", "/nodes/hydra/qemu", { ...shelf, vmid: "101", name: "new" })).toBe("OK");
  const back = { disk: "unused0", "target-vmid": "101", "target-disk": "scsi1" };
  expect(await box.run("POST", "/nodes/hydra/qemu/900/move_disk", back)).toBe("OK");
  expect(await configOf(box, 101)).toMatchObject({ scsi1: "local-lvm:vm-101-disk-0,size=30G" });
  expect(box.sim.state().volumes).toMatchObject([{ name: "vm-101-disk-0", vmid: 101, data: { rows: 42 } }]);
});

test("a disk is given away only where the server allows it", async () => {
  const box = await withMachines();
  await box.run("POST", "/nodes/lyra/qemu", { vmid: "200", name: "far" });
  const reasons = async (params: Record<string, string>) => {
    const { status, reason, message } = await move(box, params);
    return `${status} ${message ?? reason}`;
  };
  expect(await reasons({ ...toShelf, "target-vmid": "200" })).toContain(
    "Both VMs need to be on the same node (hydra) but target VM is on lyra.",
  );
  expect(await reasons({ ...toShelf, disk: "scsi7" })).toContain("Disk 'scsi7' for VM '100' does not exist");
  expect(await reasons({ ...toShelf, "target-vmid": "100" })).toContain("400");
  expect(await reasons({ disk: "scsi1" })).toContain("400");
  expect(await reasons({ ...toShelf, storage: "local-lvm" })).toContain("400");
  await box.run("POST", "/nodes/hydra/qemu/100/snapshot", { snapname: "before" });
  expect(await reasons(toShelf)).toContain("Can't move disk used by a snapshot to another VM");
  await box.run("DELETE", "/nodes/hydra/qemu/100/snapshot/before");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe("OK");
  expect(await reasons(toShelf)).toContain(
    "Cannot move disk to another VM while the source VM is running - detach first",
  );
  await box.run("POST", "/nodes/hydra/qemu/100/status/stop");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/move_disk", toShelf)).toBe("OK");
  await box.run("POST", "/nodes/hydra/qemu/100/config", { scsi1: "local-lvm:5" });
  expect(await reasons(toShelf)).toContain("Target disk key 'unused0' is already in use for VM '900'");
});

test("a disk moves to another storage, and the old one stays unused unless it is to be deleted", async () => {
  const box = await bench({ datacenter: twoStorages() });
  await box.run("POST", "/nodes/hydra/qemu", owner);
  expect(await box.run("POST", "/nodes/hydra/qemu/100/move_disk", { disk: "scsi1", storage: "fast" })).toBe(
    "OK",
  );
  expect(await configOf(box, 100)).toMatchObject({
    scsi1: "fast:vm-100-disk-0,discard=on,size=30G",
    unused0: "local-lvm:vm-100-disk-1",
  });
  const there = { disk: "scsi0", storage: "fast", delete: "1" };
  expect(await box.run("POST", "/nodes/hydra/qemu/100/move_disk", there)).toBe("OK");
  expect(await configOf(box, 100)).toMatchObject({ scsi0: "fast:vm-100-disk-1,size=20G" });
  expect(box.sim.state().volumes.map((volume) => `${volume.storage}:${volume.name}`)).toEqual([
    "local-lvm:vm-100-disk-1",
    "fast:vm-100-disk-0",
    "fast:vm-100-disk-1",
  ]);
  expect((await move(box, there)).message).toContain("you can't move to the same storage with same format");
  expect((await move(box, { disk: "unused0", storage: "fast" })).message).toContain(
    "cannot move disk 'unused0', only configured disks can be moved to another storage",
  );
});

function twoStorages(): DatacenterFile {
  const file = defaultDatacenter();
  const tank = { type: "zfspool", size: 2 ** 40, content: ["images"], shared: false } as const;
  return { ...file, storages: { ...file.storages, fast: { ...tank, content: [...tank.content] } } };
}
