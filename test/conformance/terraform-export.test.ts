import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewMachine } from "../../src/clients/proxmox/index.ts";
import { terraformText } from "../../src/exports/index.ts";
import { realClock } from "../../src/lib/index.ts";
import type { OwnedMachine } from "../../src/plan/index.ts";
import { proxmoxProvider } from "../../src/providers/proxmox/index.ts";
import { siteHost } from "../support/proxmox/site.ts";
import { clientLab, expectSays, listMachines, type ClientLab } from "../support/programs/client-lab.ts";
import {
  findTerraform,
  howToGetTerraform,
  prepareTerraform,
  terraform,
} from "../support/programs/terraform.ts";
import { peers } from "../support/peers.ts";

const every = {
  balloon: 0,
  ostype: "l26",
  serial0: "socket",
  boot: "order=scsi0",
  scsi30: "local-lvm:cloudinit",
} as const;

/** One of each kind of machine that Slipway makes, and what people add to them by hand. */
const machines: Record<string, Omit<NewMachine, "vmid">> = {
  plain: {
    ...every,
    name: "plain",
    description: 'with ${braces} and %{signs}\n\n<!-- slipway {"cluster":"lab"} -->',
    tags: "slipway;slipway-lab",
    cores: 2,
    memory: "4096",
    cpu: "x86-64-v2-AES",
    scsihw: "virtio-scsi-pci",
    agent: "enabled=0",
    onboot: true,
    rng0: "source=/dev/urandom",
    scsi0: "local-lvm:20,discard=on,ssd=1",
    net0: "virtio=02:00:00:00:00:01,bridge=vmbr0",
    ipconfig0: "ip=10.46.0.11/24,gw=10.46.0.1",
    nameserver: "10.46.0.1 1.1.1.1",
  },
  uefi: {
    ...every,
    name: "uefi",
    cores: 4,
    memory: "8192",
    cpu: "host",
    numa: true,
    machine: "q35",
    bios: "ovmf",
    efidisk0: "local-lvm:1,efitype=4m,pre-enrolled-keys=0",
    tpmstate0: "local-lvm:1,version=v2.0",
    scsihw: "virtio-scsi-single",
    agent: "enabled=1",
    onboot: false,
    protection: true,
    scsi0: "local-lvm:20,discard=on,iothread=1,ssd=1",
    scsi1: "local-lvm:50,discard=on,iothread=1,ssd=1",
    scsi2: "local-lvm:10,backup=0,discard=on,iothread=1,ssd=1",
    net0: "virtio=02:00:00:00:00:02,bridge=vmbr0,tag=14,mtu=1400,firewall=1",
    net1: "virtio=02:00:00:00:00:03,bridge=vmbr0,trunks=10;20",
    ipconfig0: "ip=10.46.0.12/24,gw=10.46.0.1",
    ipconfig1: "ip=10.47.0.12/24",
  },
  linux: {
    ...every,
    name: "linux",
    cores: 1,
    memory: "2048",
    cpu: "x86-64-v2-AES",
    scsihw: "virtio-scsi-pci",
    agent: "enabled=0",
    onboot: true,
    scsi0: "local-lvm:10,discard=on,ssd=1",
    net0: "virtio=02:00:00:00:00:04,bridge=vmbr0",
    ipconfig0: "ip=dhcp",
    searchdomain: "lab.example",
    nameserver: "10.46.0.1",
    ciuser: "slipway",
    sshkeys: encodeURIComponent("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJh0Zz0 someone@example\n"),
  },
};

let lab: ClientLab;

describe.skipIf(findTerraform() === undefined)(
  `terraform takes over machines as they are; ${howToGetTerraform}`,
  { ...peers, timeout: 600_000 },
  () => {
    beforeAll(async () => {
      lab = await clientLab("127.46.77.1");
      await prepareTerraform(lab.folder, lab);
      for (const [index, machine] of Object.values(machines).entries()) {
        const vmid = 2000 + index;
        await (await lab.client.createMachine("hydra", { vmid, ...machine })).wait();
        // The one that does not run has trunks, which the bridge here lacks, and an agent, which the provider waits for.
        if (!machine.net1) await (await lab.client.startMachine({ node: "hydra", vmid })).wait();
      }
    });

    afterAll(async () => {
      await lab[Symbol.asyncDispose]();
    });

    test("importing them changes nothing, neither in the plan nor on the hosts", async () => {
      const before = await listMachines(lab);
      await writeFile(path.join(lab.folder, "main.tf"), await exported());
      expectSays("terraform fmt", await terraform(lab.folder, ["fmt", "-check", "-diff"]), /^$/m);
      const says = await terraform(lab.folder, ["apply", "-auto-approve"]);
      const imported = /^Apply complete! Resources: 3 imported, 0 added, 0 changed, 0 destroyed\.$/m;
      expectSays("terraform apply", says, imported);
      expect(await listMachines(lab)).toEqual(before);
      const again = await terraform(lab.folder, ["plan", "-detailed-exitcode"]);
      expectSays("terraform plan", again, /^No changes\..*$/m);
    });
  },
);

async function exported(): Promise<string> {
  const host = siteHost("hydra", "hydra");
  const provider = proxmoxProvider({ connect: async () => lab.client });
  const found = (await lab.client.machines("hydra")).map(({ name, vmid, isRunning }): OwnedMachine => ({
    ...{ cluster: "lab", node: name, role: "worker", host: "hydra", on: "hydra", id: vmid, isRunning },
    ...{ image: "", memoryMiB: 0, cores: 0, dataDisksGiB: [], keptDisks: [], isProtected: false },
  }));
  const ctx = { signal: AbortSignal.timeout(60_000), clock: realClock, log: () => undefined };
  const text = terraformText(["For a test."], await provider.open([host]).terraform(ctx, found));
  return text
    .replace(host.proxmox.url, lab.endpoint)
    .replaceAll("proxmox_token", "token")
    .concat('\nvariable "endpoint" {}\n');
}
