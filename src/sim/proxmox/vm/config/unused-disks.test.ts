import { expect, test } from "vitest";
import { bench } from "../../../../../test/support/sim-proxmox-bench.ts";

const list = "/nodes/hydra/qemu";
const base = `${list}/100`;
const config = `${base}/config`;
const machine = { vmid: "100", scsi0: "local-lvm:8", net0: "virtio,bridge=vmbr0" };

test("an unused disk that a snapshot stands on does not go", async () => {
  const box = await bench();
  await box.run("POST", list, { ...machine, scsi1: "local-lvm:1" });
  await box.run("POST", `${base}/snapshot`, { snapname: "before" });
  await box.ask("PUT", config, { delete: "scsi1" });
  expect((await box.ask("PUT", config, { delete: "unused0" })).message).toBe(
    "unable to delete 'local-lvm:vm-100-disk-1' - volume is still in use (snapshot?)\n",
  );
  await box.run("DELETE", `${base}/snapshot/before`);
  expect((await box.ask("PUT", config, { delete: "unused0" })).status).toBe(200);
});

test("a disk made for a change that is taken back stays as an unused one", async () => {
  const box = await bench();
  await box.run("POST", list, machine);
  await box.run("POST", `${base}/status/start`);
  const kept = () => box.sim.state().vms["100"]?.config ?? {};
  await box.ask("PUT", config, { sata0: "local-lvm:1" });
  await box.ask("PUT", config, { revert: "sata0" });
  expect(kept()).toMatchObject({ unused0: "local-lvm:vm-100-disk-1" });
  await box.ask("PUT", config, { sata1: "local-lvm:1" });
  await box.ask("PUT", config, { delete: "sata1" });
  expect(kept()).toMatchObject({ unused1: "local-lvm:vm-100-disk-2" });
  await box.ask("PUT", config, { scsi0: "local-lvm:vm-100-disk-0,ssd=1" });
  await box.ask("PUT", config, { revert: "scsi0" });
  expect(kept()).not.toHaveProperty("unused2");
});

test("a disk of another machine does not stay behind as unused", async () => {
  const box = await bench();
  await box.run("POST", list, machine);
  await box.run("POST", list, { vmid: "101", scsi0: "local-lvm:vm-100-disk-0" });
  await box.ask("PUT", `${list}/101/config`, { delete: "scsi0" });
  expect(box.sim.state().vms["101"]?.config).not.toHaveProperty("unused0");
});

test("what a template gets can be stood on at once", async () => {
  const box = await bench();
  await box.run("POST", list, { ...machine, template: "1" });
  await box.ask("PUT", config, { scsi1: "local-lvm:1" });
  expect(box.sim.state().vms["100"]?.config).toMatchObject({
    scsi0: "local-lvm:base-100-disk-0,size=8G",
    scsi1: expect.stringMatching(/^local-lvm:base-100-disk-/) as unknown,
  });
});
