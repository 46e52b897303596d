import { expect, test } from "vitest";
import { defaultDatacenter } from "../../datacenter-file.ts";
import { bench } from "../../../../test/support/sim-proxmox-bench.ts";

const machine = { vmid: "100", name: "cp-1", memory: "512", scsi0: "local-lvm:8" };

test("a machine that is moved while it runs keeps its guest and takes its disks along", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  const move = { target: "lyra", online: "1" };
  expect(await box.run("POST", "/nodes/hydra/qemu/100/migrate", move)).toBe("migration aborted");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/migrate", { ...move, "with-local-disks": "1" })).toBe(
    "OK",
  );
  expect(box.sim.state().vms["100"]).toMatchObject({ node: "lyra", running: {} });
  expect(box.sim.state().volumes.map(({ node, name }) => [node, name])).toEqual([["lyra", "vm-100-disk-0"]]);
  expect([box.booted.length, box.stopped.length]).toEqual([1, 0]);
  expect((await box.ask("GET", "/nodes/lyra/qemu/100/status/current")).data).toMatchObject({
    status: "running",
  });
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/config")).status).toBe(500);
});

test("a stopped machine is moved with its disks, onto another storage if asked", async () => {
  const file = defaultDatacenter();
  const pool = file.storages["local-lvm"];
  if (pool) file.storages["fast"] = { ...pool, nodes: ["lyra"] };
  const box = await bench({ datacenter: file });
  await box.run("POST", "/nodes/hydra/qemu", machine);
  const move = { target: "lyra", targetstorage: "fast" };
  expect(await box.run("POST", "/nodes/hydra/qemu/100/migrate", move)).toBe("OK");
  expect(box.sim.state().vms["100"]?.config["scsi0"]).toBe("fast:vm-100-disk-0,size=8G");
});

test("a machine with an ISO of its node stays where it is", async () => {
  const file = defaultDatacenter();
  file.images.push({ storage: "local", node: "hydra", file: "iso/talos.iso", size: 2 ** 20 });
  const box = await bench({ datacenter: file });
  await box.run("POST", "/nodes/hydra/qemu", { ...machine, ide2: "local:iso/talos.iso,media=cdrom" });
  expect(await box.run("POST", "/nodes/hydra/qemu/100/migrate", { target: "lyra" })).toBe(
    "migration aborted",
  );
  expect(box.sim.state().vms["100"]?.node).toBe("hydra");
  expect(box.sim.state().vms["100"]?.config["lock"]).toBeUndefined();
});

test("nothing is moved to a node that is gone", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.sim.setNode("lyra", "cut-off");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/migrate", { target: "lyra" })).toBe(
    "migration aborted",
  );
  expect(box.sim.state().vms["100"]?.node).toBe("hydra");
});
