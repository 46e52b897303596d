import { expect, test } from "vitest";
import { bench } from "../../../../../test/support/sim-proxmox-bench.ts";

const machine = {
  vmid: "100",
  scsi0: "local-lvm:8",
  net0: "virtio,bridge=vmbr0",
  net1: "virtio,bridge=vmbr0",
};
const config = "/nodes/hydra/qemu/100/config";

test("a system that runs lets go of a card at once", async () => {
  const box = await bench({ boot: () => ({ stop: () => Promise.resolve(), shutdown: () => undefined }) });
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  expect((await box.ask("PUT", config, { delete: "net1" })).status).toBe(200);
  expect(box.sim.state().vms["100"]?.config["net1"]).toBeUndefined();
  expect(box.sim.state().vms["100"]?.pending).toEqual({ set: {}, delete: [] });
});

test("where no system runs the card goes when the machine is switched off", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  expect((await box.ask("PUT", config, { delete: "net1" })).status).toBe(400);
  expect(box.sim.state().vms["100"]?.pending.delete).toEqual(["net1"]);
  await box.run("POST", "/nodes/hydra/qemu/100/status/stop");
  expect(box.sim.state().vms["100"]?.config["net1"]).toBeUndefined();
});

test("the disk a running machine started from stays until it is off", async () => {
  const box = await bench({ boot: () => ({ stop: () => Promise.resolve(), shutdown: () => undefined }) });
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  expect((await box.ask("PUT", config, { delete: "scsi0" })).status).toBe(400);
  expect(box.sim.state().vms["100"]?.pending).toEqual({ set: { boot: "order=net0" }, delete: ["scsi0"] });
});
