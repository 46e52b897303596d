import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { openLibvirt, type LibvirtClient, type Pool } from "../../../clients/libvirt/index.ts";
import { openPool, volumesIn } from "./open-pool.ts";
import { poolXml } from "./pool-xml.ts";
import { peers } from "../../../../test/support/peers.ts";

const name = "slipway-test-place";
const { signal } = new AbortController();

/** Others remove their pools while we look at all of them; a machine of ours has not vanished with them. */
describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  });
  afterAll(async () => {
    for (const pool of await client.pools()) if (pool.name === name) await client.undefinePool(pool);
    client.close();
  });

  const makePool = (): Promise<Pool> =>
    client.definePool(poolXml({ name, kind: "dir", path: `/var/lib/libvirt/${name}` }));

  test("openPool() finds none when it is removed at that very moment", async () => {
    await makePool();
    const unlucky: LibvirtClient = {
      ...client,
      async findPool(wanted, ...rest) {
        const found = await client.findPool(wanted, ...rest);
        await client.undefinePool(found);
        return found;
      },
    };
    expect(await openPool(unlucky, name, signal)).toBeUndefined();
  });

  test("volumesIn() finds none in a pool that is gone", async () => {
    const pool = await makePool();
    const place = await openPool(client, name, signal);
    await client.undefinePool(pool);
    expect(await volumesIn(client, place, signal)).toEqual(new Map());
  });
});
