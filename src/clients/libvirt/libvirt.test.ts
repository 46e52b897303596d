import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../test/support/libvirt/libvirtd.ts";
import { lentPieces } from "../../images/index.ts";
import { openLibvirt, type LibvirtClient, type Pool } from "./index.ts";
import { peers } from "../../../test/support/peers.ts";

/** The client against the real daemon; virsh says whether what it did is there. */
const virsh = (...args: string[]): string =>
  execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" }).trim();

const machine = (name: string, uuid: string): string => `<domain type='qemu'>
  <name>${name}</name><uuid>${uuid}</uuid>
  <metadata><s:node xmlns:s='urn:probe:1' cluster='lab'/></metadata>
  <memory unit='MiB'>32</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices><serial type='pty'/></devices>
</domain>`;

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  let pool: Pool;
  const poolName = "slipway-probe";
  const name = "slipway-probe-1";
  const uuid = "5110a400-0000-4000-8000-000000000001";

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await cleanUp();
    const folder = `/var/lib/libvirt/${poolName}`;
    pool = await client.definePool(
      `<pool type='dir'><name>${poolName}</name><target><path>${folder}</path></target></pool>`,
    );
    await client.buildPool(pool);
    await client.startPool(pool);
  });
  afterAll(async () => {
    await cleanUp();
    client.close();
  });

  /** Whatever an earlier run has left behind. */
  async function cleanUp(): Promise<void> {
    for (const domain of await client.domains()) {
      if (!domain.name.startsWith("slipway-probe")) continue;
      await client.destroyDomain(domain).catch(() => undefined);
      await client.undefineDomain(domain).catch(() => undefined);
    }
    const old = (await client.pools()).find((each) => each.name === poolName);
    if (!old) return;
    for (const volume of await client.volumes(old).catch(() => [])) await client.removeVolume(volume);
    await client.destroyPool(old).catch(() => undefined);
    await client.undefinePool(old);
  }

  test("the host tells what it is", async () => {
    const { libvirt, hypervisor } = await client.versions();
    expect(virsh("version")).toContain(`Using library: libvirt ${libvirt}`);
    expect(virsh("version")).toContain(`Running hypervisor: QEMU ${hypervisor}`);
    expect(await client.hostInfo()).toMatchObject({ architecture: "x86_64" });
    expect(await client.hostname()).toBe(virsh("hostname"));
    expect(await client.capabilities()).toContain("<guest>");
    expect(await client.machineCapabilities({ arch: "x86_64", kind: "qemu" })).toContain(
      "<domainCapabilities>",
    );
    expect(await client.freeMemoryMiB()).toBeGreaterThan(0);
  });

  test("a machine is defined, started, watched, stopped and removed", async () => {
    const heard: string[] = [];
    const stopWatching = await client.watchDomains(({ domain, change }) => {
      if (domain.name === name) heard.push(change);
    });
    const defined = await client.defineDomain(machine(name, uuid));
    expect(defined).toEqual({ name, uuid, id: -1 });
    expect(await client.domainMetadata(defined, "urn:probe:1")).toContain('cluster="lab"');
    expect(await client.domainInfo(defined)).toMatchObject({
      state: "off",
      maxMemoryKiB: 32 * 1024,
      cpus: 1,
    });
    expect(await client.snapshotsOf(defined)).toEqual([]);
    await client.setStartsWithHost(defined, true);
    expect(await client.startsWithHost(defined)).toBe(true);
    const running = await client.startDomain(defined);
    expect(running.id).toBeGreaterThan(0);
    expect(virsh("domstate", name)).toBe("running");
    expect(await client.domainXml(running, "running")).toContain(`<uuid>${uuid}</uuid>`);
    expect((await client.domains()).map((each) => each.name)).toContain(name);
    await client.destroyDomain(running);
    await client.undefineDomain(running);
    expect(virsh("list", "--all", "--name")).not.toContain(name);
    // News may come after the answer to the call that made it.
    const all = ["defined", "started", "stopped", "undefined"];
    await expect.poll(() => heard).toEqual(expect.arrayContaining(all));
    await stopWatching();
  });

  test("a console belongs to one at a time, is let go when closed, and ends with its machine", async () => {
    const running = await client.startDomain(await client.defineDomain(machine(name, uuid)));
    const ends: string[] = [];
    const open = (who: string) =>
      client.openConsole(running, { data: () => undefined, end: () => void ends.push(who) });
    const first = await open("first");
    await expect(open("refused")).rejects.toMatchObject({
      why: expect.stringContaining("Active console session exists") as string,
    });
    await first.close();
    const second = await open("second");
    await second.write(Buffer.from("x"));
    expect(ends).toEqual([]);
    await client.destroyDomain(running);
    await expect.poll(() => ends).toEqual(["second"]);
    await second.close();
    await client.undefineDomain(running);
    expect(ends).toEqual(["second"]);
  });

  test("a refusal says what libvirt says, under a code of ours", async () => {
    await expect(client.findDomain("slipway-probe-none")).rejects.toMatchObject({
      code: "LIBVIRT_NOT_FOUND",
      what: "Cannot find machine slipway-probe-none",
    });
    const defined = await client.defineDomain(machine(name, uuid));
    await expect(client.destroyDomain(defined)).rejects.toMatchObject({ code: "LIBVIRT_WRONG_STATE" });
    const other = uuid.replace(/1$/, "2");
    await expect(client.defineDomain(machine(name, other))).rejects.toMatchObject({
      code: "LIBVIRT_ALREADY_EXISTS",
    });
    await expect(client.domainMetadata(defined, "urn:other:1")).rejects.toMatchObject({
      code: "LIBVIRT_NO_METADATA",
    });
    await expect(client.defineDomain("<domain/>")).rejects.toMatchObject({ code: "LIBVIRT_REFUSED" });
    await client.undefineDomain(defined);
  });

  test("a volume is created, filled, grown and removed, and its bytes are the ones sent", async () => {
    const xml = `<volume><name>probe.raw</name><capacity unit='MiB'>4</capacity><target><format type='raw'/></target></volume>`;
    const volume = await client.createVolume(pool, xml);
    await expect(client.createVolume(pool, xml)).rejects.toMatchObject({ code: "LIBVIRT_ALREADY_EXISTS" });
    const content = Buffer.from(Array.from({ length: 4 * 2 ** 20 }, (_, at) => (at * 31 + (at >> 9)) & 255));
    await client.uploadVolume(volume, pieces(content));
    const file = `/tmp/slipway-probe-${process.pid}.raw`;
    virsh("vol-download", "--pool", poolName, "probe.raw", file);
    expect(execFileSync("cmp", [file, await client.volumePath(volume)], { encoding: "utf8" })).toBe("");
    execFileSync("rm", [file]);
    expect((await client.downloadVolume(volume, joined)).equals(content)).toBe(true);
    await client.resizeVolume(volume, 8 * 2 ** 20);
    expect(await client.volumeInfo(volume)).toMatchObject({ capacityBytes: 8 * 2 ** 20 });
    await client.removeVolume(volume);
    expect(await client.volumes(pool)).toEqual([]);
  });

  test("what is lent to an upload is sent before it is used again", async () => {
    const file = `/tmp/slipway-probe-lent-${process.pid}.raw`;
    const words = Uint32Array.from({ length: 12 * 2 ** 20 }, (_, at) => at);
    writeFileSync(file, words);
    const xml = `<volume><name>lent.raw</name><capacity>${words.byteLength}</capacity><allocation>0</allocation></volume>`;
    const volume = await client.createVolume(pool, xml);
    await client.uploadVolume(volume, lentPieces(file));
    expect(execFileSync("cmp", [file, await client.volumePath(volume)], { encoding: "utf8" })).toBe("");
    rmSync(file);
    await client.removeVolume(volume);
  });

  test("a download that is read slowly is whole, and one that nobody reads to its end leaves the daemon at peace", async () => {
    const bytes = 24 * 2 ** 20;
    const xml = `<volume><name>slow.raw</name><capacity>${bytes}</capacity></volume>`;
    const volume = await client.createVolume(pool, xml);
    await client.uploadVolume(volume, pieces(Buffer.alloc(bytes, 5)));
    const slowly = async (content: AsyncIterable<Buffer>): Promise<number> => {
      let seen = 0;
      for await (const piece of content) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        seen += piece.length;
      }
      return seen;
    };
    expect(await client.downloadVolume(volume, slowly)).toBe(bytes);
    await expect(
      client.downloadVolume(volume, async (content) => {
        for await (const piece of content) throw new Error(`enough after ${piece.length > 0}`);
      }),
    ).rejects.toThrow("enough after true");
    await client.removeVolume(volume);
    await expect(client.downloadVolume(volume, joined)).rejects.toMatchObject({ code: "LIBVIRT_NOT_FOUND" });
  });

  test("an upload that the daemon refuses says so", async () => {
    const gone = { pool: poolName, name: "gone.raw", key: "/nowhere/gone.raw" };
    await expect(client.uploadVolume(gone, pieces(Buffer.alloc(1024)))).rejects.toMatchObject({
      code: "LIBVIRT_NOT_FOUND",
    });
  });

  test("a thousand calls at once find their answers, far sooner than virsh would", async () => {
    const defined = await client.defineDomain(machine(name, uuid));
    const startedAt = performance.now();
    const infos = await Promise.all(Array.from({ length: 1_000 }, () => client.domainInfo(defined)));
    const eachMs = (performance.now() - startedAt) / 1_000;
    expect(new Set(infos.map((info) => info.state))).toEqual(new Set(["off"]));
    const virshStartedAt = performance.now();
    for (let round = 0; round < 5; round += 1) virsh("dominfo", name);
    const virshMs = (performance.now() - virshStartedAt) / 5;
    await client.undefineDomain(defined);
    expect(virshMs / eachMs).toBeGreaterThan(20);
  });

  test("when the connection goes, every call under way says so", async () => {
    const other = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    const asked = other.capabilities();
    other.close();
    await expect(asked).rejects.toMatchObject({ code: "LIBVIRT_CONNECTION_LOST" });
    await expect(other.domains()).rejects.toMatchObject({ code: "LIBVIRT_CONNECTION_LOST" });
  });
});

async function joined(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of content) all.push(piece);
  return Buffer.concat(all);
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 300_000) yield content.subarray(at, at + 300_000);
}
