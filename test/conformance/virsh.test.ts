import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSimLibvirt } from "../support/libvirt/sim-libvirt.ts";
import { expectGolden } from "../support/golden.ts";
import { libvirtSocket } from "../support/libvirt/libvirtd.ts";
import { hasProgram, peers } from "../support/peers.ts";

const hasVirsh = hasProgram("virsh", "--version");
const hasVirtInstall = hasProgram("virt-install", "--version");
const name = "slipway-test-virsh";
const pool = `${name}-pool`;

/** Where libvirt listens, run as a person would. */
type Virsh = (...args: string[]) => Promise<string>;

const run = (program: string, args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(program, args, (_error, stdout, stderr) => resolve(stdout + stderr));
  });

describe.skipIf(!hasVirsh)("virsh (needs it: apt-get install libvirt-clients)", peers, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-virsh-"));
  const socket = path.join(folder, "box.sock");
  const file = (content: string): string => {
    const at = path.join(folder, "file.xml");
    writeFileSync(at, content);
    return at;
  };
  const virshOn =
    (at: string): Virsh =>
    (...args) =>
      run("virsh", ["-c", `qemu+unix:///system?socket=${at}`, ...args]);
  const virsh = virshOn(socket);
  let close = async (): Promise<void> => undefined;

  beforeAll(async () => {
    close = await startSimLibvirt(socket);
  });
  afterAll(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("lists, defines, starts, stops and removes machines, pools, volumes and networks", async () => {
    expectGolden(await life(virsh, file), import.meta.dirname, "testdata/virsh-life.txt");
  });

  test.skipIf(libvirtSocket === undefined)("says the same of a real daemon", async () => {
    const real = virshOn(libvirtSocket ?? "");
    expect(await life(real, file)).toBe(await life(virsh, file));
  });

  test("reads a console that somebody else has not opened", async () => {
    await virsh("vol-create-as", "default", "talos-1.13.9.qcow2", "1G", "--format", "qcow2");
    const image = path.join(folder, "image");
    writeFileSync(image, Buffer.alloc(4096, 1));
    await virsh("vol-upload", "talos-1.13.9.qcow2", image, "--pool", "default");
    await virsh("define", file(machine("console", "/var/lib/libvirt/images/talos-1.13.9.qcow2")));
    await virsh("start", "console");
    const uri = `qemu+unix:///system?socket=${socket}`;
    const command = `virsh -c '${uri}' console console --force`;
    const reading = run("timeout", ["6", "script", "-qc", command, "/dev/null"]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await virsh("reset", "console");
    const printed = await reading;
    expect(printed).toContain("Connected to domain 'console'");
    expect(printed).toContain("[talos]");
    await virsh("destroy", "console");
  });

  test.skipIf(!hasVirtInstall)(
    "defines what virt-install writes (needs it: apt-get install virtinst)",
    async () => {
      const uri = `qemu+unix:///system?socket=${socket}`;
      const size = [
        "--memory",
        "1024",
        "--vcpus",
        "2",
        "--disk",
        "none",
        "--osinfo",
        "detect=on,require=off",
      ];
      const written = await run("virt-install", [
        ...["--connect", uri, "--name", "installed", ...size],
        ...["--network", "network=default", "--graphics", "none", "--import", "--print-xml"],
      ]);
      expect(written).toContain("<domain");
      expect(await virsh("define", file(written))).toContain("Domain 'installed' defined");
      expect(await virsh("domstate", "installed")).toContain("shut off");
      expect(await virsh("undefine", "installed")).toContain("has been undefined");
    },
  );
});

const machine = (of: string, disk: string): string =>
  `<domain type='qemu'><name>${of}</name><memory unit='MiB'>64</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='q35'>hvm</type></os>
<devices><disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='${disk}'/><target dev='vda' bus='virtio'/></disk>
<serial type='pty'/><console type='pty'/></devices></domain>`;

const network = `<network><name>${name}</name><bridge name='virbr-virsh'/><ip address='10.213.95.1' prefix='24'>
<dhcp><range start='10.213.95.10' end='10.213.95.20'/></dhcp></ip></network>`;

/** Everything once, and what goes wrong; told without what differs between two runs. */
async function life(virsh: Virsh, file: (content: string) => string): Promise<string> {
  const folder = `/var/lib/libvirt/${pool}`;
  const steps: (string[] | (() => string[]))[] = [
    ["pool-define-as", pool, "dir", "--target", folder],
    ["pool-start", pool],
    ["pool-build", pool],
    ["pool-start", pool],
    ["pool-start", pool],
    ["vol-create-as", pool, "disk.qcow2", "1G", "--format", "qcow2"],
    ["vol-create-as", pool, "disk.qcow2", "1G", "--format", "qcow2"],
    ["vol-list", pool],
    ["vol-info", "none.img", "--pool", pool],
    ["vol-path", "disk.qcow2", "--pool", pool],
    ["vol-resize", "disk.qcow2", "2G", "--pool", pool],
    () => ["define", file(machine(name, `${folder}/disk.qcow2`))],
    ["domstate", name],
    ["destroy", name],
    ["start", name],
    ["start", name],
    ["domstate", name, "--reason"],
    ["domblklist", name],
    ["dominfo", name],
    ["autostart", name],
    ["destroy", name],
    ["domstate", name, "--reason"],
    ["undefine", name],
    ["domstate", name],
    ["vol-delete", "disk.qcow2", "--pool", pool],
    ["pool-undefine", pool],
    ["pool-destroy", pool],
    ["pool-delete", pool],
    ["pool-undefine", pool],
    () => ["net-define", file(network)],
    ["net-start", name],
    ["net-start", name],
    ["net-info", name],
    ["net-dhcp-leases", name],
    ["net-destroy", name],
    ["net-destroy", name],
    ["net-undefine", name],
  ];
  const lines: string[] = [];
  for (const step of steps) {
    const args = typeof step === "function" ? step() : step;
    const said = await virsh(...args);
    lines.push(`$ virsh ${args.join(" ")}`, steady(said));
  }
  return lines.join("\n").replaceAll(/\S*file\.xml/g, "FILE");
}

const steady = (said: string): string =>
  said
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/^(Id|CPU time|Security \w+): .*\n/gm, "")
    .replaceAll(/[ \t]+$/gm, "");
