import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProxmoxerPython, howToGetAnsible, pythonAccess } from "../support/programs/ansible.ts";
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

const python = findProxmoxerPython();
let lab: ClientLab;

const proxmoxer = (stage: string): Promise<ClientSays> =>
  clientSucceeds(python ?? "", ["life.py", stage], { cwd: lab.folder, env: pythonAccess(lab) });

describe.skipIf(python === undefined)(`proxmoxer; ${howToGetAnsible}`, peers, () => {
  beforeAll(async () => {
    lab = await clientLab("127.46.2.1");
    await cp(path.join(import.meta.dirname, "testdata/proxmoxer"), lab.folder, { recursive: true });
    await writeFile(path.join(lab.folder, "tools.iso"), Buffer.alloc(4096, 7));
  });

  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });

  test("proxmoxer makes machines from an image and from a template, and uploads an ISO", async () => {
    const says = await proxmoxer("create");
    expectSays("proxmoxer create", says, /^7 machines, 6 running, next free id 100$/m);
    for (const { name, config, isTemplate } of await listMachines(lab)) {
      expect(config, name).toMatchObject({ cores: "2", memory: "2048", tags: "first", ciuser: "debian" });
      expect(config["scsi0"], name).toMatch(isTemplate ? /base-300-disk-0/ : /vm-[23]0\d-disk-0/);
    }
    expect(await listVolumes(lab)).toContain("hydra local:iso/tools.iso");
  });

  test("proxmoxer changes them, and a restart leaves no change waiting", async () => {
    const says = await proxmoxer("change");
    expectSays("proxmoxer change", says, /^7 machines, 6 running.*$/m);
    for (const { name, config, isTemplate } of await listMachines(lab)) {
      if (isTemplate) continue;
      expect(config, name).toMatchObject({ cores: "4", memory: "4096", tags: "first;second" });
      expect(config["description"], name).toBe("grown\nby proxmoxer");
      expect(config["scsi0"], name).toContain("size=20G");
    }
  });

  test("proxmoxer takes everything down and leaves nothing", async () => {
    expectSays("proxmoxer destroy", await proxmoxer("destroy"), /^0 machines, 0 running.*$/m);
    expect(await listMachines(lab)).toEqual([]);
    expect(await listVolumes(lab)).toEqual([]);
  });
});
