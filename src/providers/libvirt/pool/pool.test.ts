import { existsSync, rmSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { libvirtHostNamed, stepContext } from "../../../../test/support/libvirt/site.ts";
import { openLibvirt, type LibvirtClient } from "../../../clients/libvirt/index.ts";
import { hostRegistry, type HostRegistry } from "../host-registry.ts";
import { describeLeftoverPool, describePool, libvirtPool, type PoolWant } from "./pool.ts";
import { poolXml } from "./pool-xml.ts";
import { volumeXml } from "./volume-xml.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-pool";
const path = `/var/lib/libvirt/${prefix}`;
const host = libvirtHostNamed("desk", { name: prefix, path });
const ctx = stepContext();

const wantOf = (graph: ReturnType<typeof describePool>): PoolWant => graph[0]?.want as PoolWant;
const want = wantOf(describePool("lab", host));
const leftovers = wantOf(describeLeftoverPool("lab", host, []));

test("describePool() makes no pool that the file only names", () => {
  expect(describePool("lab", libvirtHostNamed("desk"))).toEqual([]);
  expect(describeLeftoverPool("lab", libvirtHostNamed("desk"), [])).toEqual([]);
  expect(describePool("lab", host)).toMatchObject([
    { id: "lab/pool/desk", stage: "machines", group: "nodes" },
  ]);
});

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  let registry: HostRegistry;
  const pool = () => libvirtPool(registry);

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    registry = hostRegistry([host], async () => client);
    await cleanUp();
  });
  afterEach(cleanUp);
  afterAll(() => client.close());

  async function cleanUp(): Promise<void> {
    for (const each of await client.pools()) {
      if (!each.name.startsWith(prefix)) continue;
      await client.destroyPool(each).catch(() => undefined);
      await client.undefinePool(each);
    }
    for (const folder of [path, `${path}-2`]) rmSync(folder, { recursive: true, force: true });
  }

  const poolNames = async () => (await client.pools()).map(({ name }) => name);

  test("a pool comes up with its folder, also a second time, and goes when it is empty", async () => {
    const resource = pool();
    expect(await resource.read(ctx, want)).toBeUndefined();
    await resource.create(ctx, want);
    await resource.create(ctx, want);
    const have = await resource.read(ctx, want);
    if (!have) throw new Error("the pool is not there");
    expect(resource.compare(want, have)).toEqual({ same: true });
    await resource.remove(ctx, have);
    expect(await poolNames()).not.toContain(prefix);
    expect(existsSync(path)).toBe(true);
  });

  test("a pool that holds something stays, and says what", async () => {
    const told: string[] = [];
    const resource = pool();
    const have = await resource.create(ctx, want);
    const found = await client.findPool(prefix);
    await client.createVolume(
      found,
      volumeXml({ name: "mine.img", format: "raw", capacityBytes: 4096, isThin: true }),
    );
    await resource.remove(stepContext(told), have);
    expect(told).toEqual([`storage pool ${prefix} stays on desk: it holds mine.img`]);
    expect(await poolNames()).toContain(prefix);
  });

  test("a pool that somebody else has made is used, and never removed", async () => {
    const resource = pool();
    await client.definePool(poolXml({ name: prefix, kind: "dir", path }));
    const have = await resource.read(ctx, want);
    if (!have) throw new Error("the pool is not there");
    expect(resource.compare(want, have)).toMatchObject({ fields: [{ from: "stopped", to: "running" }] });
    await resource.update(ctx, want, have);
    expect(await resource.read(ctx, want)).toMatchObject({ isActive: true });
    expect(await resource.read(ctx, leftovers)).toBeUndefined();
    await resource.remove(ctx, have);
    expect(await poolNames()).toContain(prefix);
  });

  test("a pool of that name for another folder is refused", async () => {
    await client.definePool(poolXml({ name: prefix, kind: "dir", path: `${path}-2` }));
    await expect(pool().create(ctx, want)).rejects.toMatchObject({
      code: "LIBVIRT_POOL_ELSEWHERE",
      why: `there is one of that name for ${path}-2, the file says ${path}`,
    });
  });

  test("a folder that another pool stands for is refused", async () => {
    await client.definePool(poolXml({ name: `${prefix}-2`, kind: "dir", path }));
    await expect(pool().create(ctx, want)).rejects.toMatchObject({ code: "LIBVIRT_FOLDER_TAKEN" });
  });
});
