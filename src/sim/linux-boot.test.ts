import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { hostKey } from "../../test/support/ssh/linux-host.ts";
import { newSshKey, realRandom, scaledClock } from "../lib/index.ts";
import { parseDatacenter } from "./datacenter-file.ts";
import { startDatacenter, type Datacenter } from "./datacenter.ts";
import { linuxSlot } from "./linux/index.ts";
import { loopbackNetwork } from "./network.ts";
import { hasProgram, peers } from "../../test/support/peers.ts";

const address = "127.47.1.21";
const canListen = process.getuid?.() === 0 && hasProgram("ssh", "-V");
const whyNot = "needs OpenSSH and, for port 22, root";

/** One machine from a cloud image, which runs already. */
const description = (key: string): string =>
  JSON.stringify({
    latencies: "none",
    nodes: { hydra: { cores: 16, memory: "64GiB" } },
    storages: { "local-lvm": { type: "lvmthin", size: "1TiB", content: ["images"] } },
    vms: {
      "100": {
        node: "hydra",
        isRunning: true,
        config: {
          name: "web-1",
          memory: 2048,
          scsi0: "local-lvm:vm-100-disk-0,size=20G",
          ide2: "local-lvm:vm-100-cloudinit,media=cdrom",
          net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
          ipconfig0: `ip=${address}/24,gw=127.47.1.1`,
          ciuser: "ops",
          sshkeys: encodeURIComponent(`${key}\n`),
          searchdomain: "example.com",
          boot: "order=scsi0",
        },
      },
    },
    images: [
      {
        storage: "local-lvm",
        node: "hydra",
        file: "vm-100-disk-0",
        size: "20GiB",
        from: "noble-server-cloudimg-amd64.img",
      },
      { storage: "local-lvm", node: "hydra", file: "vm-100-cloudinit", size: "4MiB" },
    ],
  });

test.skipIf(!canListen)(
  `a datacenter keeps its Linux hosts over restarts, and OpenSSH finds them (${whyNot})`,
  peers,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "slipway-linux-boot-"));
    const key = newSshKey(realRandom);
    const start = () =>
      startDatacenter({
        file: parseDatacenter(description(key.public), "test"),
        entries: [{ node: "hydra", host: "127.47.1.250", port: 8006 }],
        network: loopbackNetwork(),
        clock: scaledClock(20),
        random: realRandom,
        stateFile: path.join(folder, "state.json"),
      });
    let datacenter: Datacenter = await start();
    onTestFinished(async () => {
      await datacenter.close();
      rmSync(folder, { recursive: true });
    });
    const answers = async () => {
      const find = () => datacenter.linux.hosts().get("web-1");
      await expect
        .poll(() =>
          find()
            ?.network.listeners()
            .some(({ port }) => port === 22),
        )
        .toBe(true);
      const host = find();
      if (!host) throw new Error("web-1 does not run");
      return host;
    };
    const first = await answers();
    const files = { key: path.join(folder, "id"), known: path.join(folder, "known_hosts") };
    writeFileSync(files.key, key.private, { mode: 0o600 });
    writeFileSync(files.known, `${address} ${hostKey(first)}\n`);
    const ssh = async (line: string) => {
      const options = ["BatchMode=yes", "StrictHostKeyChecking=yes", `UserKnownHostsFile=${files.known}`];
      const args = ["-F", "none", "-i", files.key, ...options.flatMap((option) => ["-o", option])];
      return (await promisify(execFile)("ssh", [...args, `ops@${address}`, line])).stdout;
    };
    expect(await ssh("hostname -I")).toBe(`${address} \n`);
    expect(await ssh("cat /etc/resolv.conf")).toContain("search example.com");
    await ssh("sudo -n mkdir -p /opt/kept");

    await datacenter.close();
    datacenter = await start();
    await answers();
    expect(await ssh("stat -c %a /opt/kept")).toBe("755\n");
  },
);

test("the image on the first device that holds something decides what starts", () => {
  const slot = (boot: { kind: "disk" | "cdrom"; slot: string; image?: string }[], disks = {}) =>
    linuxSlot({ boot }, disks)?.slot;
  const disk = (image?: string) => [{ kind: "disk" as const, slot: "scsi0", ...(image && { image }) }];
  const blank = { scsi0: {} };
  for (const image of [
    "https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img",
    "debian-12-genericcloud-amd64.qcow2",
    "import/slipway-linux-0123456789ab-amd64.qcow2",
  ])
    expect(slot(disk(image), blank), image).toBe("scsi0");
  for (const image of [
    "https://factory.talos.dev/image/abc/v1.13.9/nocloud-amd64.raw.xz",
    "slipway-talos-1.13.9-0123456789ab-amd64.qcow2",
    undefined,
  ])
    expect(slot(disk(image), blank), image).toBeUndefined();
  expect(slot(disk(), { scsi0: { linux: {} } })).toBe("scsi0");
  const iso = { kind: "cdrom" as const, slot: "ide0", image: "talos-amd64.iso" };
  expect(slot([iso, ...disk("noble-server-cloudimg-amd64.img")], blank)).toBeUndefined();
  expect(slot([...disk("noble-server-cloudimg-amd64.img"), iso], blank)).toBe("scsi0");
});
