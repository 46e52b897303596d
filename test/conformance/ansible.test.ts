import { cp } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findAnsiblePlaybook, howToGetAnsible, pythonAccess } from "../support/programs/ansible.ts";
import {
  clientLab,
  clientSucceeds,
  expectSays,
  listMachines,
  listVolumes,
  type ClientLab,
  type ClientSays,
} from "../support/programs/client-lab.ts";
import { peers } from "../support/peers.ts";

const playbook = findAnsiblePlaybook();
const clones = ["clone-one", "clone-three", "clone-two"];
const images = ["image-one", "image-three", "image-two"];
let lab: ClientLab;

const ansible = (file: string): Promise<ClientSays> =>
  clientSucceeds(playbook ?? "", [file], { cwd: lab.folder, env: pythonAccess(lab), timeoutMs: 180_000 });

// Every module is a Python of its own that waits in whole seconds, so a busy machine needs patience.
describe.skipIf(playbook === undefined)(`Ansible's proxmox_kvm; ${howToGetAnsible}`, peers, () => {
  beforeAll(async () => {
    lab = await clientLab("127.46.3.1");
    await cp(path.join(import.meta.dirname, "testdata/ansible"), lab.folder, { recursive: true });
  });

  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });

  test("proxmox_kvm makes three machines from an image and three from a template", async () => {
    expectSays("ansible create", await ansible("create.yml"), /^image-one .* changed=2 .* failed=0/m);
    const found = await listMachines(lab);
    expect(found.map(({ name }) => name)).toEqual([...clones, "debian-template", ...images]);
    for (const { name, config, isRunning, isTemplate } of found) {
      expect(isTemplate, name).toBe(name === "debian-template");
      expect(isRunning, name).toBe(name === "image-one");
      expect(config, name).toMatchObject({ cores: "2", memory: "2048", tags: "first", ciuser: "debian" });
    }
  });

  test("proxmox_kvm changes cores, memory, tags and disks", async () => {
    expectSays("ansible change", await ansible("change.yml"), /^image-one .* changed=3 .* failed=0/m);
    for (const { name, config, isRunning, isTemplate } of await listMachines(lab)) {
      if (isTemplate) continue;
      expect(isRunning, name).toBe(name === "image-one");
      expect(config, name).toMatchObject({ cores: "4", memory: "4096", tags: "first;second" });
      const isGrown = ["image-one", "clone-three"].includes(name);
      expect(config["scsi0"]?.includes("size=20G"), name).toBe(isGrown);
    }
  });

  test("proxmox_kvm takes everything down and leaves nothing", async () => {
    expectSays("ansible destroy", await ansible("destroy.yml"), /^clone-three .* changed=1 .* failed=0/m);
    expect(await listMachines(lab)).toEqual([]);
    // It asks for the removal of the image and does not wait for the end of it.
    await expect.poll(() => listVolumes(lab)).toEqual([]);
  });
});
