import { createReadStream, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { openLibvirt, type Domain, type LibvirtClient, type Pool } from "../../src/clients/libvirt/index.ts";
import { connectSsh, type SshConnection } from "../../src/clients/ssh/index.ts";
import { seedIso, type NocloudSeed } from "../../src/images/nocloud-seed.ts";
import { dialDirect, newSshKey, realRandom, type SshKeyPair } from "../../src/lib/index.ts";
import {
  machineXml,
  networkXml,
  poolXml,
  volumeXml,
  type VolumeXml,
} from "../../src/providers/libvirt/index.ts";
import { connectLibvirt } from "./libvirtd.ts";
import { plainMachine } from "./libvirt-machines.ts";

export type KeyPair = SshKeyPair;

export const makeKeys = (): KeyPair => newSshKey(realRandom);

export interface Guest {
  name: string;
  mac: string;
  seed: NocloudSeed;
  systemGiB: number;
  dataGiB: number;
}

/** Real guests on the daemon of this machine, in a pool and a network of their own. */
export interface GuestLab {
  client: LibvirtClient;
  folder: string;
  start(guest: Guest): Promise<Domain>;
  /** The end of what a guest wrote to its console. */
  lastWords(name: string): string;
  /** All that the lab has made, also in a run that was stopped. */
  cleanUp(): Promise<void>;
}

/** `prefix` begins every name; `gateway` is this machine's address in the network of the guests. */
export async function guestLab(prefix: string, image: string, gateway: string): Promise<GuestLab> {
  const folder = `/var/lib/libvirt/${prefix}`;
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  const removeAll = (): Promise<void> => cleanUp(client, prefix, folder);
  try {
    await removeAll();
    await startNetwork(client, prefix, gateway);
    const pool = await client.definePool(poolXml({ name: prefix, kind: "dir", path: folder }));
    await client.buildPool(pool);
    await client.startPool(pool);
    const backing = await uploadBase(client, pool, image);
    return {
      client,
      folder,
      start: (guest) => startGuest({ client, pool, prefix, backing }, guest),
      lastWords: (name) => readFileSync(path.join(folder, `${name}.log`), "latin1").slice(-3000),
      cleanUp: removeAll,
    };
  } catch (thrown) {
    await removeAll();
    client.close();
    throw thrown;
  }
}

async function startNetwork(client: LibvirtClient, name: string, gateway: string): Promise<void> {
  const xml = networkXml({
    name,
    uuid: "51199a70-0000-4000-8000-0000000000f0",
    mark: { cluster: name, slipway: "0.1.0" },
    mode: "isolated",
    bridge: "slipguest0",
    address: { address: gateway, prefix: 24 },
  });
  await client.startNetwork(await client.defineNetwork(xml));
}

async function uploadBase(client: LibvirtClient, pool: Pool, image: string): Promise<Backing> {
  const xml = volumeXml({ name: "base.qcow2", format: "qcow2", capacityBytes: 3 * 2 ** 30 });
  const base = await client.createVolume(pool, xml);
  await client.uploadVolume(base, createReadStream(image, { highWaterMark: 2 ** 20 }));
  return { path: await client.volumePath(base), format: "qcow2" };
}

type Backing = NonNullable<VolumeXml["backing"]>;

interface Ground {
  client: LibvirtClient;
  pool: Pool;
  prefix: string;
  backing: Backing;
}

async function startGuest({ client, pool, prefix, backing }: Ground, guest: Guest): Promise<Domain> {
  const { name, mac, seed, systemGiB, dataGiB } = guest;
  const iso = seedIso(seed);
  const [system, data, disc] = await Promise.all([
    client.createVolume(
      pool,
      volumeXml({ name: `${name}.qcow2`, format: "qcow2", capacityBytes: systemGiB * 2 ** 30, backing }),
    ),
    client.createVolume(
      pool,
      volumeXml({ name: `${name}-data1.img`, format: "raw", capacityBytes: dataGiB * 2 ** 30, isThin: true }),
    ),
    client.createVolume(
      pool,
      volumeXml({ name: `${name}-seed.iso`, format: "raw", capacityBytes: iso.length }),
    ),
  ]);
  await client.uploadVolume(disc, Readable.from([iso]));
  const disk = async (volume: typeof system, target: string, serial: string, format: string) => ({
    source: { kind: "file" as const, path: await client.volumePath(volume) },
    ...{ format, bus: "virtio" as const, target, serial, cache: "unsafe" as const },
  });
  const plain = plainMachine();
  const xml = machineXml({
    ...plain,
    name: `${prefix}-${name}`,
    uuid: plain.uuid.replace(/00$|01$/, mac.slice(-2)),
    title: `${name}, a guest of a test`,
    mark: { ...plain.mark, cluster: prefix, node: name, image: "base.qcow2" },
    cores: 1,
    memoryMiB: 512,
    // The plainest one is emulated fastest.
    cpu: "qemu64",
    disks: [
      { ...(await disk(system, "vda", "system", "qcow2")), bootOrder: 1 },
      await disk(data, "vdb", "data-1", "raw"),
    ],
    seed: { source: { kind: "file", path: await client.volumePath(disc) } },
    cards: [{ mac, kind: "network", source: prefix }],
    consoleLog: `/var/lib/libvirt/${prefix}/${name}.log`,
  });
  return client.startDomain(await client.defineDomain(xml));
}

async function cleanUp(client: LibvirtClient, prefix: string, folder: string): Promise<void> {
  for (const domain of await client.domains()) {
    if (!domain.name.startsWith(`${prefix}-`)) continue;
    await client.destroyDomain(domain).catch(() => undefined);
    await client.undefineDomain(domain);
  }
  const network = (await client.networks()).find(({ name }) => name === prefix);
  if (network) {
    await client.destroyNetwork(network).catch(() => undefined);
    await client.undefineNetwork(network);
  }
  const pool = (await client.pools()).find(({ name }) => name === prefix);
  if (pool) {
    await client.destroyPool(pool).catch(() => undefined);
    await client.undefinePool(pool);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Tries until the guest is up. Only what a guest that still starts would say is tried again: a wrong key is wrong. */
export async function waitForSsh(
  host: string,
  login: { user: string; key: string; hostKey: string },
  patienceMs: number,
): Promise<SshConnection> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await connectSsh({
        ...{ host, user: login.user, dial: dialDirect, timeoutMs: 20_000 },
        keys: [{ name: "the test's key", text: login.key }],
        knownHosts: { files: [], lines: `${host} ${login.hostKey}\n` },
      });
    } catch (thrown) {
      const { code = "" } = thrown as { code?: string };
      const isStarting = ["SSH_UNREACHABLE", "SSH_HANDSHAKE_FAILED"].includes(code);
      if (!isStarting || Date.now() > deadline) throw thrown;
      await sleep(2000);
    }
  }
}
