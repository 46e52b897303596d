import { expect, test } from "vitest";
import { simLibvirtBench, type SimLibvirtBench } from "../../../test/support/libvirt/sim-libvirt.ts";
import { plainMachine } from "../../../test/support/libvirt/machines.ts";
import { openLibvirt, type LibvirtClient } from "../../clients/libvirt/index.ts";
import { seedIso } from "../../images/index.ts";
import { machineXml } from "../../providers/libvirt/index.ts";
import { imageHead } from "../image-content.ts";

const folder = "/var/lib/libvirt/slipway-xml";
const pools = { "slipway-xml": { size: "10GiB" } };

const open = (bench: SimLibvirtBench): Promise<LibvirtClient> =>
  openLibvirt({ connect: () => bench.connect(), driver: "qemu:///system", clock: bench.clock });

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function putVolume(client: LibvirtClient, name: string, format: string, bytes: Buffer): Promise<void> {
  const pool = await client.findPool("slipway-xml");
  const xml = `<volume><name>${name}</name><capacity>0</capacity><allocation>0</allocation><target><format type='${format}'/></target></volume>`;
  await client.uploadVolume(await client.createVolume(pool, xml), once(bytes));
}

/** A machine of Talos with a seed, its disks in place. */
async function machineOn(client: LibvirtClient) {
  const image =
    "/image/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba/v1.13.9/nocloud-amd64.qcow2";
  const machine = plainMachine({ accelerator: "kvm" });
  const links = [{ mac: machine.nics[0]?.mac ?? "", address: "10.0.0.21/24", gateway: "10.0.0.1" }];
  await putVolume(client, "slipway-xml-cp-1.qcow2", "qcow2", imageHead(image));
  await putVolume(
    client,
    "slipway-xml-cp-1-seed.iso",
    "raw",
    seedIso({ instanceId: "one", hostname: "cp-1", links }),
  );
  return client.defineDomain(machineXml(machine));
}

test("a machine starts from its disk and its seed, and says so on its console and to who watches", async () => {
  await using bench = await simLibvirtBench({ host: { pools } });
  const client = await open(bench);
  const domain = await machineOn(client);
  const told: string[] = [];
  await client.watchDomains(({ domain: { name }, change }) => told.push(`${name} ${change}`));
  await expect(client.openConsole(domain, { data: () => {}, end: () => {} })).rejects.toMatchObject({
    code: "LIBVIRT_WRONG_STATE",
  });
  const running = await client.startDomain(domain);
  expect(running.id).toBe(1);
  let printed = "";
  const ended = new Promise<void>((resolve) => {
    void client.openConsole(running, {
      data: (bytes) => (printed += bytes.toString()),
      end: () => resolve(),
    });
  });
  await expect(client.openConsole(running, { data: () => {}, end: () => {} })).rejects.toMatchObject({
    why: expect.stringContaining("Active console session exists") as string,
  });
  await client.resetDomain(running);
  await bench.clock.sleep(1_000);
  expect(printed).toContain("10.0.0.21");
  expect(await client.guestNics(running, "agent")).toMatchObject([
    { mac: "52:54:00:77:01:0b", addresses: ["10.0.0.21"] },
  ]);
  await client.destroyDomain(running);
  await ended;
  await client.undefineDomain(domain);
  expect(told).toEqual(["started", "stopped", "undefined"].map((change) => `slipway-xml-cp-1 ${change}`));
  client.close();
});

test("what is asked of a machine in the wrong state, or of none, is refused in libvirt's words", async () => {
  await using bench = await simLibvirtBench({ host: { pools } });
  const client = await open(bench);
  const domain = await machineOn(client);
  await expect(client.destroyDomain(domain)).rejects.toMatchObject({
    code: "LIBVIRT_WRONG_STATE",
    why: "libvirt says: Requested operation is not valid: domain is not running",
  });
  const other = machineXml(plainMachine({ uuid: "51199a70-0000-4000-8000-0000000000ff" }));
  await expect(client.defineDomain(other)).rejects.toMatchObject({ code: "LIBVIRT_ALREADY_EXISTS" });
  await expect(client.findDomain("nobody")).rejects.toMatchObject({
    code: "LIBVIRT_NOT_FOUND",
    why: "libvirt says: Domain not found: no domain with matching name 'nobody'",
  });
  await expect(client.domainMetadata(domain, "urn:other")).rejects.toMatchObject({
    code: "LIBVIRT_NO_METADATA",
  });
  expect(await client.domainMetadata(domain, "urn:slipway:1")).toContain("cluster='slipway-xml'");
  const pool = await client.findPool("slipway-xml");
  await client.removeVolume(await client.findVolume(pool, "slipway-xml-cp-1.qcow2"));
  await expect(client.startDomain(domain)).rejects.toMatchObject({
    code: "LIBVIRT_SYSTEM",
    why: expect.stringContaining(`'${folder}/slipway-xml-cp-1.qcow2': No such file`) as string,
  });
  client.close();
});

test("a pool that is full takes no more, and a machine that does not start leaves none behind", async () => {
  await using bench = await simLibvirtBench({
    host: { pools: { "slipway-xml": { size: "8MiB" } } },
    faults: [{ call: "libvirt box DOMAIN_CREATE*", kind: "error" }],
  });
  const client = await open(bench);
  const domain = await machineOn(client);
  await expect(putVolume(client, "large.img", "raw", Buffer.alloc(9 * 2 ** 20))).rejects.toMatchObject({
    why: expect.stringContaining("No space left on device") as string,
  });
  await expect(client.startDomain(domain)).rejects.toMatchObject({
    why: expect.stringContaining("process exited while connecting to monitor") as string,
  });
  expect(await client.domainInfo(domain)).toMatchObject({ state: "off" });
  expect((await client.startDomain(domain)).id).toBe(1);
  client.close();
});

test("a daemon that is restarted cuts everybody off, and its machines run on", async () => {
  await using bench = await simLibvirtBench({
    host: { pools },
    faults: [
      { call: "libvirt box CONNECT_LIST_ALL_DOMAINS", kind: "refuse" },
      { call: "libvirt box CONNECT", kind: "unreachable", after: 5 },
    ],
  });
  const [client, other] = [await open(bench), await open(bench)];
  await client.startDomain(await machineOn(client));
  await expect(client.domains()).rejects.toMatchObject({ code: "LIBVIRT_CONNECTION_LOST" });
  expect([client.isOpen(), other.isOpen()]).toEqual([false, false]);
  const again = await open(bench);
  expect(await again.domains()).toMatchObject([{ name: "slipway-xml-cp-1", id: 1 }]);
  again.close();
  await expect(open(bench)).rejects.toMatchObject({ code: "LIBVIRT_CONNECTION_LOST" });
});

test("a host that loses its power forgets no disk, and tells why its machines are off", async () => {
  await using bench = await simLibvirtBench({
    host: { pools },
    faults: [{ call: "libvirt box NODE_GET_INFO", kind: "die" }],
  });
  const client = await open(bench);
  const domain = await client.startDomain(await machineOn(client));
  await client.hostInfo();
  expect(await client.domainReason(domain)).toEqual({ state: "off", reason: "crashed" });
  client.close();
});

test("a disk is carried elsewhere by its bytes, with its header and all that its guest has written", async () => {
  await using bench = await simLibvirtBench({ host: { pools } });
  const client = await open(bench);
  const pool = await client.findPool("slipway-xml");
  await putVolume(client, "base.raw", "raw", imageHead("/image/talos.raw"));
  const overlay = await client.createVolume(
    pool,
    `<volume><name>one.qcow2</name><capacity>1000000</capacity><target><format type='qcow2'/></target>
     <backingStore><path>${folder}/base.raw</path><format type='raw'/></backingStore></volume>`,
  );
  const volumes = () =>
    Object.values(bench.libvirt.state()).flatMap(({ places }) =>
      Object.values(places).flatMap((place) => Object.values(place.volumes)),
    );
  const written = { system: "installed" };
  Object.assign(volumes().find(({ name }) => name === "one.qcow2") ?? {}, { data: written });
  const copy = await client.createVolume(
    pool,
    `<volume><name>two.qcow2</name><capacity>0</capacity><allocation>0</allocation></volume>`,
  );
  await client.downloadVolume(overlay, (content) => client.uploadVolume(copy, content));
  await client.refreshPool(pool);
  expect(volumes().find(({ name }) => name === "two.qcow2")).toMatchObject({
    ...{ format: "qcow2", capacityBytes: 1_000_000, data: written },
    backing: { path: `${folder}/base.raw`, format: "raw" },
  });
  const enough = async (content: AsyncIterable<Buffer>): Promise<void> => {
    for await (const piece of content) throw new Error(`enough after ${piece.length > 0}`);
  };
  await expect(client.downloadVolume(overlay, enough)).rejects.toThrow("enough after true");
  await client.removeVolume(overlay);
  await expect(client.downloadVolume(overlay, enough)).rejects.toMatchObject({ code: "LIBVIRT_NOT_FOUND" });
});
