import { expect, test } from "vitest";
import { labImage, talosLab, until, untilProbe, type TalosLab } from "../../test/support/talos/lab.ts";
import { realClock } from "../lib/index.ts";
import { bench, type Bench } from "../../test/support/sim-proxmox-bench.ts";

const address = "127.48.1.2";
const solo = { name: "cp-1", address, role: "control-plane" } as const;
const installImage = "factory.talos.dev/nocloud-installer/aa:v1.13.9";

/** A machine with an ISO in its drive; its disk is blank, or holds the image. */
async function startMachine(box: Bench, scsi0: string): Promise<void> {
  const download = (content: string, filename: string, url: string) =>
    box.run("POST", "/nodes/hydra/storage/local/download-url", { content, filename, url });
  expect(await download("import", "disk.qcow2", labImage("1.13.8"))).toBe("OK");
  expect(await download("iso", "boot.iso", labImage("1.13.8", "iso"))).toBe("OK");
  const machine = {
    vmid: "100",
    name: "cp-1",
    scsi0,
    ide0: "local:iso/boot.iso,media=cdrom",
    ide2: "local-lvm:cloudinit",
    net0: "virtio,bridge=vmbr0",
    ipconfig0: `ip=${address}/24,gw=127.48.1.1`,
    boot: "order=scsi0;ide0",
  };
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe("OK");
}

const snapshot = (box: Bench) => box.run("POST", "/nodes/hydra/qemu/100/snapshot", { snapname: "before" });
const rollBack = (box: Bench) =>
  box.run("POST", "/nodes/hydra/qemu/100/snapshot/before/rollback", { start: "1" });

const runs = (lab: TalosLab, version: string) =>
  until(
    async () =>
      (
        await lab
          .connect(address)
          .version()
          .catch(() => undefined)
      )?.version === version,
  );

test("a rollback brings back the system and the config the disk held", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot, clock: realClock });
  await startMachine(box, "local-lvm:0,import-from=local:import/disk.qcow2");
  await untilProbe(lab, address, "maintenance");
  const before = lab.configFor(solo);
  await lab.connectMaintenance(address).applyConfig(before);
  await runs(lab, "1.13.8");
  expect(await snapshot(box)).toBe("OK");

  await lab.connect(address).applyConfig(lab.configFor({ ...solo, labels: { zone: "b" } }));
  await lab.connect(address).upgrade(installImage);
  await runs(lab, "1.13.9");
  expect(await box.run("PUT", "/nodes/hydra/qemu/100/resize", { disk: "scsi0", size: "+10G" })).toBe("OK");

  expect(await rollBack(box)).toBe("OK");
  await runs(lab, "1.13.8");
  expect(await lab.connect(address).machineConfig()).toBe(before);
  const disk = box.sim.state().volumes.find((volume) => volume.name === "vm-100-disk-0");
  expect(disk?.sizeBytes).toBe(1280 * 2 ** 20);
});

test("a rollback to before the installation leaves a blank disk, and the machine starts from its ISO", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot, clock: realClock });
  await startMachine(box, "local-lvm:20");
  await untilProbe(lab, address, "maintenance");
  expect(await snapshot(box)).toBe("OK");
  const config = lab.configFor({ ...solo, installImage });
  await lab.connectMaintenance(address).applyConfig(config);
  await runs(lab, "1.13.9");

  expect(await rollBack(box)).toBe("OK");
  await untilProbe(lab, address, "maintenance");
  expect(await lab.connectMaintenance(address).version()).toMatchObject({ version: "1.13.8" });
});
