import { expect, test } from "vitest";
import { probeTalos } from "../clients/talos/index.ts";
import { talosLab, until, untilProbe, type TalosLab } from "../../test/support/talos/lab.ts";
import { bench, type Bench } from "../../test/support/sim-proxmox-bench.ts";
import { realClock } from "../lib/index.ts";

const address = "127.46.1.2";
const schematic = "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";
const isoUrl = (file: string) => `https://factory.talos.dev/image/${schematic}/v1.13.8/${file}`;
const installer = `factory.talos.dev/nocloud-installer/${schematic}:v1.13.9`;
const plainInstaller = "ghcr.io/siderolabs/installer:v1.13.9";
const solo = { name: "cp-1", address, role: "control-plane" } as const;

/** A machine with a blank disk and an ISO in its drive, switched on. */
async function startFromIso(box: Bench, more: Record<string, string> = {}, file = "nocloud-amd64.iso") {
  const image = { content: "iso", filename: "boot.iso", url: isoUrl(file) };
  expect(await box.run("POST", "/nodes/hydra/storage/local/download-url", image)).toBe("OK");
  const machine = {
    vmid: "100",
    name: "cp-1",
    memory: "4096",
    scsi0: "local-lvm:20",
    scsi1: "local-lvm:30",
    ide0: "local:iso/boot.iso,media=cdrom",
    ide2: "local-lvm:cloudinit",
    net0: "virtio,bridge=vmbr0",
    ipconfig0: `ip=${address}/24,gw=127.46.1.1`,
    boot: "order=scsi0;ide0",
    ...more,
  };
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe("OK");
}

const power = (box: Bench, verb: string) => box.run("POST", `/nodes/hydra/qemu/100/status/${verb}`);

async function install(lab: TalosLab, installImage: string): Promise<void> {
  await untilProbe(lab, address, "maintenance");
  await lab.connectMaintenance(address).applyConfig(lab.configFor({ ...solo, installImage }));
}

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

/** Nothing takes time here: what has not answered by now never will. */
async function staysSilent(lab: TalosLab): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 150));
  const found = await probeTalos({ clock: realClock, address, dial: lab.network.dial });
  expect(found.state).toBe("unreachable");
}

const schematicOf = async (lab: TalosLab): Promise<string | undefined> => {
  const kind = { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" };
  const found = await lab.connect(address).listResources(kind);
  return found.map(({ spec }) => (spec as { metadata: { version: string } }).metadata.version)[0];
};

test("a machine with a blank disk starts from its ISO, installs itself and then starts from the disk", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box);
  await untilProbe(lab, address, "maintenance");
  expect(await lab.connectMaintenance(address).version()).toMatchObject({ version: "1.13.8" });
  await install(lab, installer);
  await runs(lab, "1.13.9");
  expect(await lab.connect(address).systemDisk()).toBe("sda");
  expect(await schematicOf(lab)).toBe(schematic);

  expect(await power(box, "stop")).toBe("OK");
  expect(await power(box, "start")).toBe("OK");
  await runs(lab, "1.13.9");

  const saved = JSON.parse(JSON.stringify(box.sim.state())) as ReturnType<typeof box.sim.state>;
  await box.sim.close();
  await untilProbe(lab, address, "unreachable");
  await bench({ boot: lab.guests.boot, saved });
  await runs(lab, "1.13.9");
});

test("pain-23: with the plain installer the extensions are lost, and with the platform the seed (talos#9232, talos#10486)", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box);
  await install(lab, plainInstaller);
  const written = () => {
    const disk = box.sim.state().volumes.find((volume) => volume.name === "vm-100-disk-0");
    return disk?.data?.["talos"] as { schematic: string; platform: string } | undefined;
  };
  await until(() => Promise.resolve(written()?.platform === "metal"));
  expect(written()).toMatchObject({ version: "1.13.9", isInstalled: true });
  expect(written()?.schematic).not.toBe(schematic);
  await staysSilent(lab);
});

test("pain-23: with the ISO first in the order the installed machine starts it again, and it halts (talos#9852)", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box, { boot: "order=ide0;scsi0" });
  await install(lab, installer);
  await untilProbe(lab, address, "unreachable");
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/status/current")).data).toMatchObject({
    status: "running",
  });
  expect(await power(box, "stop")).toBe("OK");
  expect(await power(box, "start")).toBe("OK");
  await staysSilent(lab);

  expect(await power(box, "stop")).toBe("OK");
  await box.ask("PUT", "/nodes/hydra/qemu/100/config", { boot: "order=scsi0;ide0" });
  expect(await power(box, "start")).toBe("OK");
  await runs(lab, "1.13.9");
});

test("an ISO taken out of its drive is not there at the reboot that ends the installation", async () => {
  await using lab = await talosLab({
    endpoint: `https://${address}:6443`,
    latencies: { installMs: 400 },
  });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box, { boot: "order=ide0;scsi0" });
  await install(lab, installer);
  const eject = await box.ask("PUT", "/nodes/hydra/qemu/100/config", { ide0: "none,media=cdrom" });
  expect(eject.status).toBe(200);
  await runs(lab, "1.13.9");
});

test("a metal ISO does not read the seed, so a machine without DHCP stays silent", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box, {}, "metal-amd64.iso");
  await staysSilent(lab);
});

test("a machine with a blank disk and no ISO runs and says nothing", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box, { boot: "order=scsi0;net0" });
  await staysSilent(lab);
  expect((await box.ask("GET", "/nodes/hydra/qemu/100/status/current")).data).toMatchObject({
    status: "running",
  });
});

test("a disk selector puts the system on the disk that fits, and the machine starts from it when it is in the order", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box, { boot: "order=scsi0;scsi1;ide0" });
  await untilProbe(lab, address, "maintenance");
  const config = lab
    .configFor({ ...solo, installImage: installer })
    .replace("disk: /dev/sda", "diskSelector: { size: '>= 25GB' }");
  await lab.connectMaintenance(address).applyConfig(config);
  await runs(lab, "1.13.9");
  expect(await lab.connect(address).systemDisk()).toBe("sdb");
});

test("a config whose install disk is not there brings the machine back without a config", async () => {
  await using lab = await talosLab({ endpoint: `https://${address}:6443` });
  const box = await bench({ boot: lab.guests.boot });
  await startFromIso(box);
  await untilProbe(lab, address, "maintenance");
  const config = lab.configFor({ ...solo, installImage: installer }).replace("/dev/sda", "/dev/nvme0n1");
  await lab.connectMaintenance(address).applyConfig(config);
  await until(
    async () =>
      (
        await lab
          .connectMaintenance(address)
          .machineStatus()
          .catch(() => undefined)
      )?.stage !== "maintenance",
  );
  await untilProbe(lab, address, "maintenance");
});
