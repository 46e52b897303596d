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

const qemu = "/nodes/hydra/qemu";
const outlook = async (box: Awaited<ReturnType<typeof bench>>) =>
  (await box.ask("GET", `${qemu}/100/migrate`)).data as Record<string, unknown>;

test("what forbids a move is told before, and found again in the log of a task that tries", async () => {
  const box = await bench();
  await box.run("POST", qemu, machine);
  await box.run("POST", `${qemu}/100/snapshot`, { snapname: "before" });
  await box.run("POST", `${qemu}/100/status/start`);
  const live = { target: "lyra", online: "1", "with-local-disks": "1" };
  expect(await box.run("POST", `${qemu}/100/migrate`, live)).toBe("migration aborted");
  expect(box.sim.state().tasks.at(-1)?.log.join("\n")).toContain(
    "online storage migration not possible if non-replicated snapshot exists",
  );
  await box.run("POST", `${qemu}/100/status/stop`);
  expect(await box.run("POST", `${qemu}/100/migrate`, { target: "lyra" })).toBe("migration aborted");
  expect(box.sim.state().tasks.at(-1)?.log.join("\n")).toContain("non-migratable snapshot exists");
  const vm = box.sim.state().vms["100"];
  if (vm) Object.assign(vm.config, { hostpci0: "0000:01:00.0", serial0: "socket" });
  expect((await outlook(box))["local_resources"]).toEqual(["hostpci0"]);
});

test("a machine whose bridge is missing on the other node does not move while it runs", async () => {
  const file = defaultDatacenter();
  const { lyra } = file.nodes;
  if (lyra) lyra.bridges = {};
  const box = await bench({ datacenter: file });
  await box.run("POST", qemu, { ...machine, net0: "virtio,bridge=vmbr0" });
  await box.run("POST", `${qemu}/100/status/start`);
  const live = { target: "lyra", online: "1", "with-local-disks": "1" };
  expect(await box.run("POST", `${qemu}/100/migrate`, live)).toBe("migration aborted");
  expect(box.sim.state().vms["100"]?.node).toBe("hydra");
});

test("the task of a managed machine only asks the manager, who moves it on its next round with its disks", async () => {
  const box = await bench({ latencies: { haRoundMs: 10_000 } });
  await box.run("POST", qemu, machine);
  await box.ask("POST", "/cluster/ha/resources", { sid: "100" });
  await box.time.until(() => box.sim.state().vms["100"]?.running !== undefined);
  const state = async () => {
    const entries = (await box.ask("GET", "/cluster/ha/status/current")).data as Record<string, unknown>[];
    return entries.find(({ sid }) => sid === "vm:100")?.["state"];
  };
  await box.time.clock.sleep(20_000);
  expect(await box.run("POST", `${qemu}/100/migrate`, { target: "lyra", online: "1" })).toBe("OK");
  expect([box.sim.state().vms["100"]?.node, await state()]).toEqual(["hydra", "migrate"]);
  await box.time.until(() => box.sim.state().vms["100"]?.node === "lyra");
  await box.time.clock.sleep(1_000);
  expect(await state()).toBe("started");
  expect(
    box.sim
      .state()
      .tasks.slice(-2)
      .map(({ type, owner }) => [type, owner]),
  ).toEqual([
    ["hamigrate", "slipway@pve!main"],
    ["qmigrate", "root@pam"],
  ]);
});

test("machines that a rule keeps apart are named as what stands in the way", async () => {
  const box = await bench();
  for (const [vmid, node] of [
    ["100", "hydra"],
    ["101", "lyra"],
  ]) {
    await box.run("POST", `/nodes/${node}/qemu`, { ...machine, vmid: vmid ?? "" });
    await box.ask("POST", "/cluster/ha/resources", { sid: `vm:${vmid}`, state: "ignored" });
  }
  const apart = { rule: "apart", type: "resource-affinity", affinity: "negative" };
  await box.ask("POST", "/cluster/ha/rules", { ...apart, resources: "vm:100,vm:101" });
  expect(await outlook(box)).toMatchObject({
    allowed_nodes: ["orion"],
    not_allowed_nodes: { lyra: { "blocking-ha-resources": [{ sid: "vm:101", cause: "resource-affinity" }] } },
  });
  const move = { target: "lyra" };
  expect(await box.run("POST", `${qemu}/100/migrate`, move)).toContain("cannot migrate resource 'vm:100'");
});

test.each(["local-lvm,local", "1,local-lvm", "local:local-lvm,local:local-lvm"])(
  "a map of storages that does not say one thing is refused: %s",
  async (targetstorage) => {
    const box = await bench();
    await box.run("POST", "/nodes/hydra/qemu", machine);
    const move = { target: "lyra", targetstorage };
    expect((await box.ask("POST", "/nodes/hydra/qemu/100/migrate", move)).status).toBe(400);
  },
);

test("what is asked before a move tells what the configuration says of each disk", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", { ...machine, ide2: "local-lvm:cloudinit" });
  await box.run("POST", "/nodes/hydra/qemu/100/snapshot", { snapname: "before" });
  const { data } = await box.ask("GET", "/nodes/hydra/qemu/100/migrate");
  const { local_disks: disks } = data as { local_disks: Record<string, unknown>[] };
  const inSnapshot = { referenced_in_snapshot: { before: 1 } };
  expect(disks).toContainEqual(
    expect.objectContaining({ drivename: "scsi0", size: 8 * 2 ** 30, cdrom: 0, ...inSnapshot }),
  );
  const seed = disks.find(({ drivename }) => drivename === "ide2");
  expect(seed).toMatchObject({ cdrom: 1, is_cloudinit: 1 });
  expect(seed).not.toHaveProperty("size");
});
