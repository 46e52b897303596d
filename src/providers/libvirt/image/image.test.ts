import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { libvirtHostNamed, stepContext } from "../../../../test/support/libvirt/site.ts";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { openLibvirt, type LibvirtClient, type Pool } from "../../../clients/libvirt/index.ts";
import { scaledClock } from "../../../lib/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { hostRegistry } from "../host-registry.ts";
import { libvirtImage, type ImageWant } from "./image.ts";
import { poolXml } from "../pool/pool-xml.ts";
import { volumeXml } from "../pool/volume-xml.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-image";
const folder = `/var/lib/libvirt/${prefix}`;
const file = "slipway-talos-1.13.2-test-nocloud-amd64.raw";
const content = Buffer.alloc(3 * 2 ** 20, "talos ");
const packed = gzipSync(content);
const sha256 = (bytes: Buffer) => ({
  algorithm: "sha256",
  value: createHash("sha256").update(bytes).digest("hex"),
});

describe.skipIf(libvirtSocket === undefined)(`an image on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  let pool: Pool;
  let base = "";
  /** How many bytes come before the line breaks. */
  let mostBytes = Infinity;
  /** The rest comes after a while. */
  let isSlow = false;
  const server = http.createServer((request, response) => {
    if (request.url === "/old.raw.gz") {
      response.writeHead(302, { location: "/image.raw.gz" }).end();
      return;
    }
    if (request.url !== "/image.raw.gz") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-length": packed.length });
    if (isSlow) {
      response.write(packed.subarray(0, mostBytes));
      setTimeout(() => response.end(packed.subarray(mostBytes)), 400);
    } else if (mostBytes < packed.length)
      response.write(packed.subarray(0, mostBytes), () => response.destroy());
    else response.end(packed);
  });

  const host = libvirtHostNamed("desk", { name: prefix });
  const image = () => {
    const registry = hostRegistry([host], async () => client);
    return libvirtImage({ registry });
  };
  const wanted = (changes: Partial<ImageWant> = {}): ImageWant => ({
    host: "desk",
    storage: prefix,
    file,
    url: `${base}/image.raw.gz`,
    checksum: sha256(packed),
    ...changes,
  });
  const ctx: StepContext = {
    ...stepContext(),
    clock: scaledClock(50),
    async waitFor(_wait, probe) {
      for (;;) {
        const seen = await probe(this.signal);
        if (seen.done) return seen.value;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
  const names = async () => (await client.volumes(pool)).map(({ name }) => name).toSorted();
  const complete = [file, `${file}.complete`];

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await cleanUp();
    pool = await client.definePool(poolXml({ name: prefix, kind: "dir", path: folder }));
    await client.buildPool(pool);
    await client.startPool(pool);
  });
  afterEach(async () => {
    mostBytes = Infinity;
    isSlow = false;
    for (const volume of await client.volumes(pool)) await client.removeVolume(volume);
  });
  afterAll(async () => {
    await cleanUp();
    client.close();
    server.close();
  });

  async function cleanUp(): Promise<void> {
    for (const old of await client.pools()) {
      if (old.name !== prefix) continue;
      await client.destroyPool(old).catch(() => undefined);
      await client.undefinePool(old);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  test("is fetched, unpacked on the way, found again, and goes", async () => {
    const told: number[] = [];
    const tells: StepContext = { ...ctx, progress: (done) => told.push(done) };
    expect(await image().read(ctx, wanted())).toBeUndefined();
    await image().create(tells, wanted({ url: `${base}/old.raw.gz` }));
    expect(readFileSync(`${folder}/${file}`).equals(content)).toBe(true);
    expect(told.at(-1)).toBe(packed.length);
    const have = await image().read(ctx, wanted());
    expect(have).toMatchObject({ file, isComplete: true });
    expect(have && image().compare(wanted(), have)).toEqual({ same: true });
    if (have) await image().remove(ctx, have);
    expect(await names()).toEqual([]);
  });

  test.each([
    ["a line that breaks", { mostBytes: 1000 }, {}, "LIBVIRT_IMAGE_NOT_FETCHED"],
    ["another content", { mostBytes: Infinity }, { checksum: sha256(content) }, "IMAGE_CHECKSUM_WRONG"],
  ])("is never taken for whole after %s, and is sent anew", async (_, line, changes, code) => {
    mostBytes = line.mostBytes;
    await expect(image().create(ctx, wanted(changes))).rejects.toMatchObject({ code });
    mostBytes = Infinity;
    const have = await image().read(ctx, wanted());
    expect(have).toMatchObject({ isComplete: false });
    expect(have && image().compare(wanted(), have)).toMatchObject({ same: false, action: "update" });
    if (have) await image().update(ctx, wanted(), have);
    expect(await names()).toEqual(complete);
    expect(readFileSync(`${folder}/${file}`).equals(content)).toBe(true);
  });

  test("is waited for while somebody else sends it", async () => {
    const volume = await client.createVolume(
      pool,
      volumeXml({ name: file, format: "raw", capacityBytes: 0 }),
    );
    const theirs = client.uploadVolume(
      volume,
      (async function* () {
        for (let at = 0; at < content.length; at += 2 ** 18) {
          yield content.subarray(at, at + 2 ** 18);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })(),
    );
    const marked = theirs.then(() =>
      client.createVolume(pool, volumeXml({ name: `${file}.complete`, format: "raw", capacityBytes: 0 })),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await image().create(ctx, wanted({ url: `${base}/none` }))).toMatchObject({ isComplete: true });
    await marked;
    expect(readFileSync(`${folder}/${file}`).equals(content)).toBe(true);
  });

  test("is not marked as complete by a run whose volume was taken over", async () => {
    const want = wanted();
    mostBytes = 1000;
    isSlow = true;
    const slow = image()
      .create(ctx, want)
      .catch((error: Error) => error);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await client.removeVolume(await client.findVolume(pool, file));
    await client.createVolume(pool, volumeXml({ name: file, format: "raw", capacityBytes: 0 }));
    expect(await slow).toMatchObject({ code: "LIBVIRT_IMAGE_TAKEN_OVER", transient: true });
    expect(await image().read(ctx, want)).toMatchObject({ isComplete: false });
  });

  test("stays while a volume stands on it", async () => {
    const have = await image().create(ctx, wanted());
    const backing = { path: `${folder}/${file}`, format: "raw" };
    const top = { name: "somebodys.qcow2", format: "qcow2" as const, capacityBytes: 2 ** 23, backing };
    await client.createVolume(pool, volumeXml(top));
    await image().remove(ctx, have);
    expect(await names()).toEqual([...complete, top.name]);
  });

  test("that is not there says so, without what the address hides", async () => {
    const url = `${base.replace("//", "//me:secret@")}/none.raw?token=secret`;
    const failure = await image()
      .create(ctx, wanted({ url }))
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ code: "LIBVIRT_IMAGE_NOT_FETCHED" });
    expect(JSON.stringify(failure)).not.toContain("secret");
    expect(await names()).toEqual([]);
  });
});
