import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openLibvirt, type Domain, type LibvirtClient, type Pool } from "../src/clients/libvirt/index.ts";
import { lentPieces } from "../src/images/index.ts";
import { poolXml, volumeXml } from "../src/providers/libvirt/index.ts";
import { connectLibvirt } from "../test/support/libvirt/libvirtd.ts";

/** What we and virsh need for the same on the same daemon. */
interface Pair {
  ourMs: number;
  virshMs: number;
}

export interface LibvirtFigures {
  /** One question about one machine; virsh is started for each. */
  call: Pair & { calls: number };
  /** Machines without a system: defined, started, stopped, removed. */
  machines: Pair & { count: number };
  upload: Pair & { megabytes: number };
}

const prefix = "slipway-bench";
const folder = `/var/lib/libvirt/${prefix}`;
const megabytes = 300;

/** Needs a daemon on this machine, and virsh. */
export async function measureLibvirt(): Promise<LibvirtFigures> {
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  try {
    await cleanUp(client);
    return {
      call: await measureCalls(client),
      machines: await measureMachines(client, 40),
      upload: await measureUpload(client),
    };
  } finally {
    await cleanUp(client);
    client.close();
  }
}

const virsh = (...args: string[]): string =>
  execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" });

const tiny = (name: string): string => `<domain type='qemu'>
  <name>${name}</name><memory unit='MiB'>32</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices><video><model type='none'/></video><memballoon model='none'/></devices>
</domain>`;

async function timed(work: () => Promise<unknown> | void): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function measureCalls(client: LibvirtClient): Promise<LibvirtFigures["call"]> {
  const [calls, spawns] = [1000, 20];
  const domain = await client.defineDomain(tiny(`${prefix}-call`));
  const ourMs = await timed(async () => {
    // One after the other, as virsh is: nothing is won by asking at once.
    for (let call = 0; call < calls; call += 1) await client.domainInfo(domain);
  });
  const virshMs = await timed(() => {
    for (let spawn = 0; spawn < spawns; spawn += 1) virsh("dominfo", domain.name);
  });
  await client.undefineDomain(domain);
  return { calls, ourMs: ourMs / calls, virshMs: virshMs / spawns };
}

async function measureMachines(client: LibvirtClient, count: number): Promise<LibvirtFigures["machines"]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const virshMs = await timed(() => {
    for (const name of names) {
      const file = path.join(tmpdir(), `${name}.xml`);
      writeFileSync(file, tiny(name));
      virsh("define", file);
      virsh("start", name);
      virsh("destroy", name);
      virsh("undefine", name);
      rmSync(file);
    }
  });
  const whole = async (name: string): Promise<void> => {
    const domain: Domain = await client.startDomain(await client.defineDomain(tiny(name)));
    await client.destroyDomain(domain);
    await client.undefineDomain(domain);
  };
  // A daemon works on five calls of one client at once, unless it is told otherwise.
  const ourMs = await timed(() => inTurns(names, 5, whole));
  return { count, ourMs, virshMs };
}

/** At most so many at once. */
async function inTurns<T>(items: T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: most }, worker));
}

async function measureUpload(client: LibvirtClient): Promise<LibvirtFigures["upload"]> {
  const pool = await client.definePool(poolXml({ name: prefix, kind: "dir", path: folder }));
  await client.buildPool(pool);
  await client.startPool(pool);
  const file = path.join(tmpdir(), `${prefix}-${process.pid}.raw`);
  writeFileSync(file, Buffer.alloc(megabytes * 1e6, "not all of it is zero "));
  const [ours, theirs]: [number[], number[]] = [[], []];
  try {
    // In turns, and the best of each: what else goes on here hits both.
    for (let round = 0; round < 3; round += 1) {
      theirs.push(
        await upload(client, pool, (name) => void virsh("vol-upload", "--pool", prefix, name, file)),
      );
      ours.push(
        await upload(client, pool, async (name) =>
          client.uploadVolume(await client.findVolume(pool, name), lentPieces(file)),
        ),
      );
    }
  } finally {
    rmSync(file);
  }
  return { megabytes, ourMs: Math.min(...ours), virshMs: Math.min(...theirs) };
}

/** Into a new volume each time: an old one is already in the host's memory. */
async function upload(
  client: LibvirtClient,
  pool: Pool,
  work: (name: string) => Promise<void> | void,
): Promise<number> {
  const wanted = { name: "upload.raw", format: "raw", capacityBytes: megabytes * 1e6, isThin: true } as const;
  const volume = await client.createVolume(pool, volumeXml(wanted));
  const tookMs = await timed(() => work(volume.name));
  await client.removeVolume(volume);
  return tookMs;
}

/** Also what a run that was stopped has left. */
async function cleanUp(client: LibvirtClient): Promise<void> {
  for (const domain of await client.domains()) {
    if (!domain.name.startsWith(`${prefix}-`)) continue;
    await client.destroyDomain(domain).catch(() => undefined);
    await client.undefineDomain(domain).catch(() => undefined);
  }
  const pool = (await client.pools()).find(({ name }) => name === prefix);
  if (!pool) return;
  for (const volume of await client.volumes(pool).catch(() => [])) await client.removeVolume(volume);
  await client.destroyPool(pool).catch(() => undefined);
  await client.undefinePool(pool);
  rmSync(folder, { recursive: true, force: true });
}
