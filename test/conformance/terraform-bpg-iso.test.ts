import { cp } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultDatacenter, noLatencies } from "../../src/sim/index.ts";
import {
  clientLab,
  expectSays,
  listMachines,
  listVolumes,
  type ClientLab,
} from "../support/programs/client-lab.ts";
import {
  findTerraform,
  howToGetTerraform,
  prepareTerraform,
  terraform,
} from "../support/programs/terraform.ts";
import { peers } from "../support/peers.ts";

const apply = (stage: number) => terraform(lab.folder, ["apply", "-auto-approve", `-var=stage=${stage}`]);
const plan = (stage: number) => terraform(lab.folder, ["plan", "-detailed-exitcode", `-var=stage=${stage}`]);
let lab: ClientLab;

describe.skipIf(findTerraform() === undefined)(
  `terraform with the bpg provider on Proxmox VE 8.4; ${howToGetTerraform}`,
  { ...peers, timeout: 600_000 },
  () => {
    beforeAll(async () => {
      const datacenter = { ...defaultDatacenter(), version: "8.4" as const, latencies: noLatencies };
      lab = await clientLab("127.46.5.1", { datacenter });
      await prepareTerraform(lab.folder, lab);
      await cp(path.join(import.meta.dirname, "testdata/terraform-bpg-iso"), lab.folder, { recursive: true });
    });

    afterAll(async () => {
      await lab[Symbol.asyncDispose]();
    });

    test("terraform makes a machine with firmware, TPM and ISO, its pool and an account", async () => {
      const says = await apply(1);
      expectSays("terraform apply", says, /^Apply complete! Resources: 6 added.*$/m);
      expect(says.text).toMatch(/^seen = "8\.4\.\d+ hydra lyra orion local local-lvm"$/m);
      const [machine] = await listMachines(lab);
      expect(machine?.config).toMatchObject({
        bios: "ovmf",
        machine: "q35",
        boot: "order=ide3;scsi0",
        balloon: "2048",
        ide3: expect.stringContaining("local:iso/talos.iso,media=cdrom"),
        efidisk0: expect.stringMatching(/^local-lvm:vm-100-disk-\d,.*efitype=4m/),
        tpmstate0: expect.stringContaining("version=v2.0"),
        net0: expect.stringMatching(/bridge=vmbr0,firewall=1,.*mtu=1400,.*tag=20/),
      });
      expect(await lab.client.pools()).toEqual(["lab"]);
      expectSays("terraform plan", await plan(1), /^No changes\..*$/m);
    });

    test("terraform takes the ISO out and adds a disk and a NIC in place", async () => {
      expectSays("terraform apply", await apply(2), /^Apply complete! Resources: 0 added, 5 changed.*$/m);
      const [machine] = await listMachines(lab);
      expect(machine?.config).toMatchObject({
        boot: "order=scsi0",
        balloon: "0",
        ide3: "none,media=cdrom",
        scsi1: expect.stringContaining("size=50G"),
        net1: expect.stringContaining("virtio=BC:24:11:00:00:77"),
      });
      expectSays("terraform plan", await plan(2), /^No changes\..*$/m);
    });

    test("terraform takes the disk and the NIC away again, and then everything", async () => {
      expectSays("terraform apply", await apply(1), /^Apply complete! Resources: 0 added, 5 changed.*$/m);
      const [machine] = await listMachines(lab);
      expect(machine?.config["scsi1"]).toBeUndefined();
      expect(machine?.config["net1"]).toBeUndefined();
      const says = await terraform(lab.folder, ["destroy", "-auto-approve", "-var=stage=1"]);
      expectSays("terraform destroy", says, /^Destroy complete! Resources: 6 destroyed\.$/m);
      expect(await listMachines(lab)).toEqual([]);
      expect(await lab.client.pools()).toEqual([]);
      await expect.poll(() => listVolumes(lab)).toEqual([]);
    });
  },
);
