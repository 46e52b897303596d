import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { libvirtLife, type LibvirtLife } from "../../../../test/support/libvirt/life.ts";
import { libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import type { Node } from "../../../spec/index.ts";
import { machineXml } from "./machine-xml.ts";
import { machineUuid } from "../names.ts";
import { plainMachine } from "../../../../test/support/libvirt/machines.ts";
import { readNetwork } from "../network/network-xml.ts";
import { volumeXml } from "../pool/volume-xml.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-machine";

describe.skipIf(libvirtSocket === undefined)(`a machine on a real daemon (${withoutLibvirt})`, peers, () => {
  let lab: LibvirtLife;
  beforeAll(async () => {
    lab = await libvirtLife(prefix, "10.213.92.0/24");
    // The pool, the network and the image, which every machine here stands on.
    expect((await lab.up(lab.cluster([{}]))).failed).toEqual([]);
  });
  afterAll(() => lab.close());

  const node = (changes: Partial<Node>) => lab.cluster([changes]);
  const findings = async (changes: Partial<Node>) =>
    (await lab.plan(node(changes))).changes.map(({ action, consequence, fields }) => ({
      action,
      consequence,
      fields: fields.map(({ field }) => field),
    }));

  const hardware = { machine: "i440fx", cpu: "Nehalem", rng: false, ioThreads: true } as const;
  const start = { onBoot: false };
  /** Each is asked for on top of what the one before has left. */
  const changes: [string, Partial<Node>, { consequence: string; action: string; fields: string[] }][] = [
    [
      "what a running machine takes",
      { diskGiB: 2, dataDisks: [{ sizeGiB: 1, for: "longhorn" }], isProtected: true, hardware: { start } },
      { action: "update", consequence: "hot", fields: ["disk", "data disk", "notes", "start with host"] },
    ],
    [
      "what waits for a restart",
      {
        cores: 2,
        memoryMiB: 40,
        diskGiB: 2,
        address: "10.213.92.77",
        dataDisks: [{ sizeGiB: 2, for: "longhorn" }],
        isProtected: true,
        hardware: { ...hardware, start },
      },
      {
        action: "update",
        consequence: "reboot",
        fields: [
          "cores",
          "memory",
          "machine type",
          "processor",
          "rng",
          "I/O threads",
          "options of disk system",
          "options of disk data-1",
          "data disk",
          "address",
        ],
      },
    ],
    [
      "a disk that goes",
      { diskGiB: 2, address: "10.213.92.77", hardware },
      {
        action: "update",
        consequence: "data",
        fields: ["cores", "memory", "I/O threads", "data disk", "notes", "start with host"],
      },
    ],
    [
      "what only a new machine can be",
      { hardware: { firmware: "uefi" } },
      {
        action: "replace",
        consequence: "data",
        fields: [
          "firmware",
          "machine type",
          "processor",
          "rng",
          "I/O threads",
          "disk",
          "options of disk system",
          "address",
        ],
      },
    ],
  ];

  test("is changed in place for every word of the file, and is then as wanted", async () => {
    for (const [what, wanted, expected] of changes) {
      expect({ what, found: await findings(wanted) }).toEqual({ what, found: [expected] });
      expect({ what, failed: (await lab.up(node(wanted))).failed }).toEqual({ what, failed: [] });
      expect({ what, left: await findings(wanted) }).toEqual({ what, left: [] });
    }
  });

  test("gets another card while it runs, and restarts for one its system does not let go only when the plan has said so [proxmox 2]", async () => {
    const { bridge = "" } = readNetwork(await lab.client.networkXml(await lab.client.findNetwork(prefix)));
    const plain: Partial<Node> = { hardware: { firmware: "uefi" } };
    await lab.up(node(plain));
    const idOf = async () => (await lab.client.findDomain(`${prefix}-cp-1`)).id;
    const before = await idOf();
    const nics = [{ mac: "02:aa:00:00:00:77", bridge }];
    expect(await findings({ ...plain, nics })).toEqual([
      { action: "update", consequence: "hot", fields: ["NIC 02:aa:00:00:00:77", "first settings"] },
    ]);
    expect((await lab.up(node({ ...plain, nics }))).failed).toEqual([]);
    expect(await findings({ ...plain, nics })).toEqual([]);
    expect(await idOf()).toBe(before);
    expect(await findings(plain)).toMatchObject([{ consequence: "disturb" }]);
    // There is no system that could.
    expect((await lab.up(node(plain))).failed).toMatchObject([
      { error: { code: "LIBVIRT_WAITS_FOR_RESTART" } },
    ]);
    expect(await idOf()).toBe(before);
    expect(await findings(plain)).toMatchObject([{ consequence: "reboot" }]);
    expect((await lab.up(node(plain))).failed).toEqual([]);
    expect(await findings(plain)).toEqual([]);
    expect(await idOf()).not.toBe(before);
  });

  test("is not made beside a kept data disk that is larger than the file says", async () => {
    const wanted = lab.cluster([{}, { dataDisks: [{ sizeGiB: 1 }] }]);
    await lab.up(wanted);
    await lab.down(wanted, { node: "cp-2" });
    const smaller = lab.cluster([{}, { dataDisks: [{ sizeGiB: 0.5 }] }]);
    await expect(lab.plan(smaller)).rejects.toMatchObject({ code: "LIBVIRT_KEPT_DISK_LARGER" });
    await lab.down(wanted, { node: "cp-2", losesData: true });
    expect(await lab.kept()).toEqual([]);
  });

  test("is not made where somebody else has its UUID or one of its volumes", async () => {
    const wanted = lab.cluster([{}, {}]);
    const uuid = machineUuid(prefix, "cp-2");
    const { seed: _none, ...stranger } = plainMachine({ name: `${prefix}-x`, uuid, disks: [], nics: [] });
    const twin = await lab.client.defineDomain(machineXml(stranger));
    await expect(lab.plan(wanted)).rejects.toMatchObject({ code: "LIBVIRT_MACHINE_FOREIGN" });
    await lab.client.undefineDomain(twin);
    const pool = await lab.client.findPool(prefix);
    const xml = volumeXml({ name: `${prefix}-cp-2.qcow2`, format: "qcow2", capacityBytes: 2 ** 20 });
    const volume = await lab.client.createVolume(pool, xml);
    expect((await lab.up(wanted)).failed).toMatchObject([{ error: { code: "LIBVIRT_VOLUME_FOREIGN" } }]);
    await lab.client.removeVolume(volume);
  });
});
