import { expect, test } from "vitest";
import { bench } from "../../../../../test/support/sim-proxmox-bench.ts";

const config = "/nodes/hydra/qemu/100/config";
const machine = { vmid: "100", name: "db", ide2: "local-lvm:cloudinit" };

test("a change with a stale digest is refused at once, also where a task would make it", async () => {
  const box = await bench();
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  const tasks = box.sim.state().tasks.length;
  const answer = await box.ask("POST", config, { memory: "1024", digest: "0".repeat(40) });
  expect(answer).toMatchObject({ status: 500, reason: "checksum mismatch (file change by other user?)" });
  expect(box.sim.state().tasks).toHaveLength(tasks);
});

test("a second cloud-init drive is refused while there is a first, also when that one goes in the same call", async () => {
  const box = await bench();
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  const moved = { delete: "ide2", scsi30: "local-lvm:cloudinit" };
  expect(await box.run("POST", config, moved)).toContain("cloud-init drive is already attached at 'ide2'");
  expect(await box.run("POST", config, { delete: "ide2" })).toBe("OK");
  expect(await box.run("POST", config, { scsi30: "local-lvm:cloudinit" })).toBe("OK");
});

test("a running machine takes its share of the processor over at once, its cores only at the next start", async () => {
  const box = await bench();
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start", {})).toBe("OK");
  await box.ask("PUT", config, { cpulimit: "2", cpuunits: "200", migrate_downtime: "0.2", cores: "4" });
  const { config: now, pending } = box.sim.state().vms["100"] ?? {};
  expect(now).toMatchObject({ cpulimit: "2", cpuunits: 200 });
  expect(pending?.set).toEqual({ cores: 4 });
});
