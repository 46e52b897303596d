import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  clientLab,
  clientSucceeds,
  expectSays,
  listMachines,
  listVolumes,
  type ClientLab,
  type ClientSays,
} from "../support/programs/client-lab.ts";
import { findGoProxmox, howToGetGoProxmox } from "../support/programs/go-proxmox.ts";
import { peers } from "../support/peers.ts";

const program = findGoProxmox();
let lab: ClientLab;

const goProxmox = (stage: string): Promise<ClientSays> =>
  clientSucceeds(program ?? "", [stage], {
    cwd: lab.folder,
    env: {
      PVE_URL: lab.endpoint,
      PVE_TOKEN_ID: lab.token.id,
      PVE_TOKEN_SECRET: lab.token.secret,
      SSL_CERT_FILE: lab.caFile,
    },
  });

describe.skipIf(program === undefined)(`go-proxmox; ${howToGetGoProxmox}`, peers, () => {
  beforeAll(async () => {
    lab = await clientLab("127.46.4.1");
  });

  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });

  test("go-proxmox lists an empty cluster", async () => {
    const says = await goProxmox("list");
    expectSays("go-proxmox list", says, /^version 9\.2\.\d+, cluster datacenter, quorate 1$/m);
    for (const node of ["hydra", "lyra", "orion"]) {
      expect(says.text).toMatch(
        new RegExp(`^${node}: online, 32 CPUs, 2 storages, \\d networks, 0 machines$`, "m"),
      );
    }
    expect(says.text).toMatch(/^3 nodes, 6 storages, 0 machines, 0 pools/m);
  });

  test("go-proxmox makes a template and clones it, copied and linked", async () => {
    await goProxmox("make");
    expectSays("go-proxmox clone", await goProxmox("clone"), /^303 linked cloned and started$/m);
    const says = await goProxmox("list");
    expect(says.text).toMatch(/^ {2}100 next running, 2 cores, 2048 MiB, tags "", local-lvm:vm-100-disk-0,/m);
    expect(says.text).toMatch(/^ {2}300 debian-template stopped, .*base-300-disk-0.*, template true$/m);
    const machines = await listMachines(lab);
    expect(machines.map(({ name, vmid }) => `${vmid} ${name}`)).toEqual([
      "301 copy",
      "300 debian-template",
      "303 linked",
      "100 next",
    ]);
    expect(machines.filter(({ isRunning }) => isRunning)).toHaveLength(3);
  });

  test("go-proxmox changes its clones and takes snapshots of them", async () => {
    expectSays("go-proxmox change", await goProxmox("change"), /^303 linked changed, 2 snapshots$/m);
    for (const { name, config, isTemplate } of await listMachines(lab)) {
      if (isTemplate) continue;
      expect(config, name).toMatchObject({ cores: "4", memory: "4096", tags: "second", parent: "before" });
      expect(config["scsi0"], name).toContain("size=20G");
    }
  });

  test("go-proxmox removes everything and is told so", async () => {
    expectSays("go-proxmox remove", await goProxmox("remove"), /^asked again: .*$/m);
    expect(await listMachines(lab)).toEqual([]);
    expect(await listVolumes(lab)).toEqual([]);
  });
});
