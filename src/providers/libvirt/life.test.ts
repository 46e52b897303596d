import { existsSync, readdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { libvirtLife, type LibvirtLife } from "../../../test/support/libvirt-life.ts";
import { libvirtSocket, withoutLibvirt } from "../../../test/support/libvirtd.ts";
import { readMachine } from "./read-machine.ts";

const prefix = "slipway-test-life";

/** Machines without a system, made and changed and removed by a real daemon. */
describe.skipIf(libvirtSocket === undefined)(`a cluster on a real daemon (${withoutLibvirt})`, () => {
  let lab: LibvirtLife;
  beforeAll(async () => {
    lab = await libvirtLife(prefix, "10.213.91.0/24");
  });
  afterEach(() => lab.cleanUp());
  afterAll(() => lab.close());

  const files = (): string[] => (existsSync(lab.folder) ? readdirSync(lab.folder).toSorted() : []);
  const machine = async (node: string, which: "defined" | "running") =>
    readMachine(await lab.client.domainXml(await lab.client.findDomain(`${prefix}-${node}`), which));

  test("comes up, stays as it is, changes in place, and goes without a trace", async () => {
    const before = await lab.listing();
    const two = lab.cluster([{}, {}]);
    expect((await lab.up(two)).failed).toEqual([]);
    expect((await lab.plan(two)).changes).toEqual([]);
    expect(await machine("cp-1", "running")).toMatchObject({ memoryMiB: 32, cores: 1 });

    const more = lab.cluster([{ memoryMiB: 48 }, { diskGiB: 2, dataDisks: [{ sizeGiB: 1 }] }]);
    const plan = await lab.plan(more);
    expect(plan.changes.map(({ node, consequence, fields }) => [node.name, consequence, fields])).toEqual([
      ["machine cp-1", "reboot", [{ field: "memory", from: "32 MiB", to: "48 MiB" }]],
      [
        "machine cp-2",
        "hot",
        [
          { field: "disk", from: "1 GiB", to: "2 GiB" },
          { field: "data disk", from: "none", to: "1 GiB" },
        ],
      ],
    ]);
    const cp2 = await lab.client.findDomain(`${prefix}-cp-2`);
    expect((await lab.up(more)).failed).toEqual([]);
    expect((await lab.plan(more)).changes).toEqual([]);
    expect(await machine("cp-1", "running")).toMatchObject({ memoryMiB: 48 });
    expect((await machine("cp-2", "running")).disks.map(({ serial }) => serial)).toEqual([
      "system",
      "data-1",
    ]);
    // It never went off.
    expect((await lab.client.findDomain(`${prefix}-cp-2`)).id).toBe(cp2.id);

    expect((await lab.down(more, { losesData: true })).failed).toEqual([]);
    expect(await lab.remains(more)).toEqual([]);
    expect(lab.told.filter((text) => text.includes("stays"))).toEqual([]);
    expect(await lab.listing()).toEqual(before);
    expect(files()).toEqual([]);
  }, 60_000);

  /** The definition, each of the volumes, the seed's content, the whole definition, the start. */
  test("is finished or undone from wherever a run was cut", async () => {
    const [undone, finished] = [
      [1, 5, 7],
      [2, 6],
    ];
    const one = lab.cluster([{}]);
    const two = lab.cluster([{}, { dataDisks: [{ sizeGiB: 1, isDisposable: true }] }]);
    expect((await lab.up(one)).failed).toEqual([]);
    const alone = files();
    const cutUp = async (calls: number) => {
      lab.cutAfter(calls);
      expect((await lab.up(two)).failed).toHaveLength(1);
      lab.cutAfter(undefined);
    };
    const cutDown = async (calls: number) => {
      lab.cutAfter(calls);
      await lab.down(two, { node: "cp-2" });
      lab.cutAfter(undefined);
      expect((await lab.down(two, { node: "cp-2" })).failed).toEqual([]);
      expect(await lab.remains(two)).toEqual([]);
      expect(files()).toEqual(alone);
    };
    for (const calls of undone) {
      await cutUp(calls);
      await cutDown(calls % 4);
    }
    for (const calls of finished) {
      await cutUp(calls);
      expect((await lab.up(two)).failed).toEqual([]);
      expect((await lab.plan(two)).changes).toEqual([]);
      await cutDown(calls % 4);
    }
    expect((await lab.plan(one)).changes).toEqual([]);
  }, 60_000);
});
