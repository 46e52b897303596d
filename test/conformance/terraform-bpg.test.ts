import { cp } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
  terraformApply,
  terraformDestroy,
  writeTerraformFleet,
} from "../support/programs/terraform.ts";
import { peers } from "../support/peers.ts";

const files = path.join(import.meta.dirname, "testdata/terraform-bpg");
const changed = "-var-file=changed.tfvars";
const images = ["image-hydra", "image-lyra", "image-orion"];
const clones = ["clone-one", "clone-three", "clone-two"];
let lab: ClientLab;

// Over TLS it trusts and with a token, as a person would be advised to.
describe.skipIf(findTerraform() === undefined)(
  `terraform with the bpg provider; ${howToGetTerraform}`,
  { ...peers, timeout: 600_000 },
  () => {
    beforeAll(async () => {
      lab = await clientLab("127.46.1.1");
      await prepareTerraform(lab.folder, lab);
      await cp(files, lab.folder, { recursive: true });
    });

    afterAll(async () => {
      await lab[Symbol.asyncDispose]();
    });

    test("terraform makes three machines from an image and three from a template", async () => {
      expectSays(
        "terraform apply",
        await terraform(lab.folder, ["apply", "-auto-approve"]),
        /^Apply complete!.*$/m,
      );
      const machines = await listMachines(lab);
      expect(machines.map(({ name }) => name)).toEqual([...clones, "debian-template", ...images]);
      for (const { name, node, isRunning, config } of machines.filter((each) => !each.isTemplate)) {
        expect(isRunning, name).toBe(true);
        expect(config, name).toMatchObject({
          cores: "2",
          memory: "2048",
          tags: "first",
          cpu: "x86-64-v2-AES",
        });
        expect(config[slotOf(name)], name).toContain("size=10G");
        expect(node, name).toBe(name.startsWith("image-") ? name.slice("image-".length) : "hydra");
      }
      const seeded = machines.find(({ name }) => name === "image-lyra");
      expect(seeded?.config).toMatchObject({ ciuser: "debian", ipconfig0: "gw=10.44.0.1,ip=10.44.0.10/24" });
      expect(decodeURIComponent(String(seeded?.config["sshkeys"]))).toMatch(
        /^ssh-ed25519 \S+ someone@example/,
      );
    });

    test("terraform then sees no changes", async () => {
      const says = await terraform(lab.folder, ["plan", "-detailed-exitcode"]);
      expectSays("terraform plan", says, /^No changes\..*$/m);
    });

    test("terraform changes cores, memory, tags and disks in place", async () => {
      const before = await listMachines(lab);
      const says = await terraform(lab.folder, ["apply", "-auto-approve", changed]);
      expectSays("terraform apply", says, /^Apply complete! Resources: 0 added, 6 changed, 0 destroyed\.$/m);
      // The provider may be content with the end of a reboot task, which a machine's new start follows a moment later.
      await expect.poll(async () => (await listMachines(lab)).filter((it) => it.isRunning).length).toBe(6);
      const after = await listMachines(lab);
      expect(after.map(({ name, vmid }) => [name, vmid])).toEqual(
        before.map(({ name, vmid }) => [name, vmid]),
      );
      for (const { name, isRunning, config } of after.filter((each) => !each.isTemplate)) {
        expect(isRunning, name).toBe(true);
        expect(config, name).toMatchObject({ cores: "4", memory: "4096", tags: "first;second" });
        expect(config[slotOf(name)], name).toContain("size=20G");
      }
      expectSays(
        "terraform plan",
        await terraform(lab.folder, ["plan", "-detailed-exitcode", changed]),
        /^No changes\..*$/m,
      );
    });

    test("terraform takes everything down and leaves nothing", async () => {
      const says = await terraform(lab.folder, ["destroy", "-auto-approve", changed]);
      expectSays("terraform destroy", says, /^Destroy complete!.*$/m);
      expect(await listMachines(lab)).toEqual([]);
      // It asks for the removal of the image and does not wait for the end of it.
      await expect.poll(() => listVolumes(lab)).toEqual([]);
    });

    test.each(["image", "template"] as const)(
      "terraform leads a fleet of equal machines from one %s up and down",
      async (from) => {
        const folder = path.join(lab.folder, `fleet-${from}`);
        await writeTerraformFleet({ ...lab, folder, nodes: ["hydra", "lyra"], count: 3, from });
        const upMs = await terraformApply(folder, { parallelism: 3 });
        const fleet = (await listMachines(lab)).filter(({ isRunning }) => isRunning);
        expect(fleet.map(({ name, node }) => `${name} ${node}`)).toEqual([
          "fleet-0 hydra",
          "fleet-1 lyra",
          "fleet-2 hydra",
        ]);
        const downMs = await terraformDestroy(folder, { parallelism: 3 });
        process.stdout.write(`terraform fleet of 3 from ${from}: up ${upMs} ms, down ${downMs} ms\n`);
        expect(await listMachines(lab)).toEqual([]);
      },
    );
  },
);

const slotOf = (name: string): string => (name.startsWith("image-") ? "scsi0" : "virtio0");
