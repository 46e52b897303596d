import { existsSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { libvirtLife, type LibvirtLife } from "../../../../test/support/libvirt/life.ts";
import { isFull } from "../../../../test/support/whole-sweep.ts";
import { libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import type { Node } from "../../../spec/index.ts";
import { nicXml } from "./nics.ts";
import { diskXml } from "../disks/machine-disks.ts";
import { machineXml, type MachineXml } from "./machine-xml.ts";
import { readMachine } from "./read-machine.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-byhand";
const name = `${prefix}-cp-1`;

/** What somebody does to a machine with virsh shows in the plan, and `up` mends it, mostly without a restart. */
describe.skipIf(libvirtSocket === undefined)(
  `a machine that was changed by hand (${withoutLibvirt})`,
  peers,
  () => {
    let lab: LibvirtLife;
    let mac = "";
    const usual: Partial<Node> = { dataDisks: [{ sizeGiB: 1 }] };
    beforeAll(async () => {
      lab = await libvirtLife(prefix, "10.213.31.0/24");
      expect((await lab.up(lab.cluster([usual]))).failed).toEqual([]);
      mac = (await machine("defined")).nics[0]?.mac ?? "";
    });
    afterAll(() => lab.close());

    const domain = () => lab.client.findDomain(name);
    const machine = async (which: "defined" | "running") =>
      readMachine(await lab.client.domainXml(await domain(), which));
    const findings = async (node: Partial<Node> = usual) =>
      (await lab.plan(lab.cluster([node]))).changes.map(({ action, consequence, fields }) => ({
        action,
        consequence,
        fields: fields.map(({ field, from, to }) => `${field}: ${from} → ${to}`),
      }));

    /** Runs `up` and gives whether the machine stayed on. Whatever happens to it, it is the same machine afterwards. */
    async function mend(node: Partial<Node> = usual): Promise<"stayed on" | "restarted"> {
      const { id, uuid } = await domain();
      expect((await lab.up(lab.cluster([node]))).failed).toEqual([]);
      expect(await findings(node)).toEqual([]);
      const now = await domain();
      expect([now.uuid, (await machine("running")).nics[0]?.mac]).toEqual([uuid, mac]);
      return now.id === id ? "stayed on" : "restarted";
    }

    /** Starts it with another definition, and puts the old one back: so it is after something was taken from it live. */
    async function startedWith(change: (definition: MachineXml) => Partial<MachineXml>, isKept = false) {
      const { client } = lab;
      const xml = await client.domainXml(await domain(), "defined");
      const { others: _others, ...found } = readMachine(xml);
      const definition = found as MachineXml;
      await client.destroyDomain(await domain());
      await client.defineDomain(machineXml({ ...definition, ...change(definition) }));
      await client.startDomain(await domain());
      if (!isKept) await client.defineDomain(xml);
    }

    test("gets back what was taken from its definition, and stays on", async () => {
      const { client } = lab;
      const { nics, disks } = await machine("defined");
      await client.setMemory(await domain(), 24, "config");
      await client.detachDevice(await domain(), nicXml(nics[0] as (typeof nics)[number]), "config");
      await client.detachDevice(await domain(), diskXml(disks[1] as (typeof disks)[number]), "config");
      await client.setStartsWithHost(await domain(), false);
      expect(await findings()).toEqual([
        {
          action: "update",
          consequence: "hot",
          fields: [
            "memory: 24 of 32 MiB at the next start → 32 MiB",
            "data disk: none at the next start → 1 GiB",
            `NIC ${mac}: none at the next start → network ${prefix}`,
            "start with host: off → on",
          ],
        },
      ]);
      expect(await mend()).toBe("stayed on");
    });

    test("gets back what was unplugged while it runs, and stays on", async () => {
      await startedWith(({ disks }) => ({ disks: disks.slice(0, 1), nics: [] }));
      expect(await findings()).toEqual([
        {
          action: "update",
          consequence: "hot",
          fields: ["data disk: none → 1 GiB", `NIC ${mac}: none → network ${prefix}`],
        },
      ]);
      expect(await mend()).toBe("stayed on");
      expect((await machine("running")).disks.map(({ serial }) => serial)).toEqual(["system", "data-1"]);
    });

    test("uses the room for cores that somebody gave it, and is switched on when it was switched off", async () => {
      await startedWith(() => ({ cores: 1, maxCores: 3 }), true);
      expect(await findings()).toEqual([]);
      const more = { ...usual, cores: 2 };
      expect(await findings(more)).toEqual([
        { action: "update", consequence: "hot", fields: ["cores: 1 → 2"] },
      ]);
      expect(await mend(more)).toBe("stayed on");
      expect((await lab.client.domainInfo(await domain())).cpus).toBe(2);
      expect(lab.told).toContain(`${name} has 2 cores now; its kubelet counts them from its next start`);
      expect(await findings()).toEqual([
        { action: "update", consequence: "reboot", fields: ["cores: 2 → 1"] },
      ]);
      // Off, it needs no restart for anything.
      await lab.client.destroyDomain(await domain());
      expect(await findings()).toMatchObject([
        { consequence: "hot", fields: ["cores: 2 → 1", "power: stopped → running"] },
      ]);
      expect(await mend()).toBe("restarted");
    });

    test.runIf(isFull)("restarts for memory that it runs with too much of", async () => {
      await startedWith(() => ({ memoryMiB: 48 }));
      expect(await findings()).toEqual([
        {
          action: "update",
          consequence: "reboot",
          fields: ["memory: 48 MiB → 32 MiB, waits for a restart"],
        },
      ]);
      expect(await mend()).toBe("restarted");
    });

    test("is defined again when only its definition was removed", async () => {
      await lab.client.undefineDomain(await domain());
      expect(await findings()).toMatchObject([
        { consequence: "hot", fields: ["definition: removed → there", "start with host: off → on"] },
      ]);
      expect(await mend()).toBe("stayed on");
    });

    test("runs on as it was when a card cannot be plugged in", async () => {
      const { id } = await domain();
      const nics = [{ mac: "02:aa:00:00:00:35", bridge: "br-none" }];
      expect((await lab.up(lab.cluster([{ ...usual, nics }]))).failed).toMatchObject([
        { error: { code: "LIBVIRT_NOT_PLUGGED" } },
      ]);
      expect((await domain()).id).toBe(id);
      expect(await findings()).toEqual([]);
    });

    test("restarts although the file of its seed was deleted", async () => {
      const { source } = (await machine("defined")).seed ?? {};
      const seed = source?.kind === "file" ? source.path : "";
      rmSync(seed);
      expect(await mend({ ...usual, memoryMiB: 40 })).toBe("restarted");
      expect(existsSync(seed)).toBe(true);
      expect(await mend()).toBe("restarted");
    });

    test("is neither forgotten nor half removed while its pool is stopped", async () => {
      await lab.client.destroyPool(await lab.client.findPool(prefix));
      expect((await lab.down(lab.cluster([usual]))).failed).toMatchObject([
        { error: { code: "LIBVIRT_POOL_MISSING", what: "Cannot remove machine cp-1" } },
      ]);
      expect((await lab.plan(lab.cluster([usual]))).changes.map(({ node }) => node.kind)).toContain(
        "libvirt/pool",
      );
      expect(await mend()).toBe("stayed on");
    });

    test("is made again on its old disks when it was removed by hand", async () => {
      const { uuid } = await domain();
      const before = (await machine("defined")).disks;
      await lab.client.destroyDomain(await domain());
      await lab.client.undefineDomain(await domain());
      expect(await findings()).toMatchObject([{ action: "create" }]);
      expect((await lab.up(lab.cluster([usual]))).failed).toEqual([]);
      expect(lab.told.join("\n")).toContain("cp-1 gets its system disk back");
      expect(await findings()).toEqual([]);
      expect((await domain()).uuid).toBe(uuid);
      expect(await machine("running")).toMatchObject({ disks: before, nics: [{ mac }] });
    });
  },
);
