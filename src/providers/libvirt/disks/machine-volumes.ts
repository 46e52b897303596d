import path from "node:path";
import type { LibvirtClient, Volume } from "../../../clients/libvirt/index.ts";
import { seedIso, type NocloudSeed } from "../../../images/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { foreignVolume, poolMissing } from "../errors.ts";
import { explainVolume } from "../explain.ts";
import type { DataDiskWant, MachineWant } from "../machine/machine-want.ts";
import { seedName } from "../machine/machine-definition.ts";
import { consoleVolume, dataVolume, isImageName, systemVolume } from "../names.ts";
import { bytesOfGiB, formatIn, hasCode, unlessMissing, volumesIn, type OpenPool } from "../pool/open-pool.ts";
import { readVolume, volumeXml, type VolumeXml } from "../pool/volume-xml.ts";

export interface Site {
  ctx: StepContext;
  client: LibvirtClient;
  places: Record<string, OpenPool>;
  guestKeys?: GuestKeys | undefined;
  firstConfig?: FirstConfig | undefined;
}

/** The config that a node finds on its seed, rendered from what stands in its want. */
export type FirstConfig = (cluster: string, from: unknown) => Promise<string>;

/** What a guest is reached with by SSH: the private key it proves itself with, the public key it lets in. */
export type GuestKeys = (cluster: string, node: string) => Promise<{ host: string; login: string }>;

/**
 * Before the machine has its mark, nothing may lie under the name of its system disk but one that stands on its image:
 * its machine was removed by hand, and gets it back. One that is made again gets a new one: what it was in etcd and in
 * Kubernetes is over. Data disks, seeds and logs are told by their names alone.
 */
export async function claimNames(site: Site, want: MachineWant): Promise<void> {
  const { ctx, client } = site;
  const { cluster, node } = want;
  const place = poolOf(site, want, want.pool);
  const name = systemVolume(cluster, node, formatIn(place));
  const volume = (await volumesIn(client, place, ctx.signal)).get(name);
  if (!volume) return;
  if (!(await isLeftDisk(client, volume, want, ctx.signal)))
    throw foreignVolume({ node, volume: name, pool: want.pool, host: want.host });
  const left = "was left when its machine was removed by hand";
  if (want.isMadeAgain) {
    ctx.log("info", `${node} gets a new system disk; the old one, which ${left}, is removed`);
    await unlessMissing(() => client.removeVolume(volume, ctx.signal));
  } else ctx.log("info", `${node} gets its system disk back: it ${left}`);
}

/**
 * Whether a disk without a machine holds only what differs from the image of its node: then it is what was left of that.
 * Where the node is made again nothing on the disk is used, and it may be an older image of ours.
 */
export async function isLeftDisk(
  client: LibvirtClient,
  volume: Volume,
  { image, isMadeAgain }: Pick<MachineWant, "isMadeAgain"> & { image: Pick<MachineWant["image"], "file"> },
  signal: AbortSignal,
): Promise<boolean> {
  const { backing } = readVolume(await client.volumeXml(volume, signal));
  if (backing === undefined) return false;
  const file = path.posix.basename(backing.path);
  return file === image.file || (isMadeAgain === true && isImageName(file));
}

/** Everything the machine is made of. What an earlier run has made is found by its name and kept. */
export async function makeVolumes(site: Site, want: MachineWant): Promise<void> {
  await makeSystemDisk(site, want);
  await Promise.all(want.dataDisks.map((_, index) => makeDataDisk(site, want, index + 1)));
  await makeSeed(site, want, true);
  await makeConsoleLog(site, want);
}

/** Stands on the image and holds only what differs from it; where a pool cannot do that, a full copy. */
async function makeSystemDisk(site: Site, want: MachineWant): Promise<void> {
  const { ctx, client } = site;
  const place = poolOf(site, want, want.pool);
  const format = formatIn(place);
  const name = systemVolume(want.cluster, want.node, format);
  const home = poolOf(site, want, want.image.pool).pool;
  const base = await client.findVolume(home, want.image.file, ctx.signal);
  const read = async () => readVolume(await client.volumeXml(base, ctx.signal));
  let image = await read();
  // It came as plain bytes, and libvirt looks at what they are only when it reads its pool anew.
  if (image.format === "raw" && want.image.file.endsWith(".qcow2")) {
    await client.refreshPool(home, ctx.signal);
    image = await read();
  }
  const capacityBytes = Math.max(bytesOfGiB(want.diskGiB), image.capacityBytes);
  if (!place.isBlock) {
    const backing = { path: image.path, format: image.format };
    await demandVolume(site, want.pool, place, { name, format, capacityBytes, backing });
    return;
  }
  const xml = volumeXml({ name, format, capacityBytes });
  const found = await unlessMissing(() => client.findVolume(place.pool, name, ctx.signal));
  const copy = found ?? (await client.cloneVolume(place.pool, xml, base, ctx.signal));
  await growVolume(site, copy, capacityBytes);
}

export async function makeDataDisk(site: Site, want: MachineWant, number: number): Promise<void> {
  const disk = want.dataDisks[number - 1] as DataDiskWant;
  const place = poolOf(site, want, disk.pool);
  const format = formatIn(place);
  const capacityBytes = bytesOfGiB(disk.sizeGiB);
  const name = dataVolume(want.cluster, want.node, number, format);
  const volume = await demandVolume(site, disk.pool, place, { name, format, capacityBytes });
  await growVolume(site, volume, capacityBytes);
}

/** One with that name may be half sent while nothing refers to it yet; `isAnew` sends it whatever is there. */
export async function makeSeed(site: Site, want: MachineWant, isAnew: boolean): Promise<void> {
  const { ctx, client } = site;
  const place = poolOf(site, want, want.pool);
  const name = seedName(want);
  const content = seedIso(
    want.hasConfigSeed ? await seedWithConfig(site, want) : await seedWithKeys(site, want),
  );
  const seed = { name, format: "raw" as const, capacityBytes: content.length };
  const found = await findFile(site, place, name);
  if (found && !isAnew) return;
  const volume = found ?? (await demandVolume(site, want.pool, place, seed));
  await client.uploadVolume(volume, once(content), ctx.signal);
}

/** A file that somebody has deleted past libvirt is a volume to it until it reads its pool anew, and no machine starts with it. */
async function findFile({ ctx, client }: Site, place: OpenPool, name: string): Promise<Volume | undefined> {
  const found = await unlessMissing(() => client.findVolume(place.pool, name, ctx.signal));
  if (!found || (await unlessMissing(() => client.volumeInfo(found, ctx.signal)))) return found;
  await client.refreshPool(place.pool, ctx.signal);
  return undefined;
}

/** A seed is known by what the file says: keys are made once and never change. */
export async function seedWithKeys(
  { guestKeys }: Pick<Site, "guestKeys">,
  { cluster, node, seed }: Pick<MachineWant, "cluster" | "node" | "seed">,
): Promise<NocloudSeed> {
  const { config } = seed;
  if (!config || !guestKeys) return seed;
  const { host, login } = await guestKeys(cluster, node);
  const users = config.users?.map((user) => ({ ...user, authorizedKeys: [login, ...user.authorizedKeys] }));
  return { ...seed, config: { ...config, users, hostKeys: { ed25519: host } } };
}

async function seedWithConfig(
  { firstConfig }: Pick<Site, "firstConfig">,
  { cluster, node, seed, firstConfig: from }: MachineWant,
): Promise<NocloudSeed> {
  if (!firstConfig || from === undefined) throw new Error(`there is no config for ${node}`);
  return { ...seed, userData: await firstConfig(cluster, from) };
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

/** Made here so that libvirt knows it and can take it away; what the machine says is written behind. */
export async function makeConsoleLog(
  site: Site,
  want: Pick<MachineWant, "host" | "cluster" | "node" | "pool">,
): Promise<void> {
  const place = poolOf(site, want, want.pool);
  if (place.isBlock) return;
  const name = consoleVolume(want.cluster, want.node);
  await demandVolume(site, want.pool, place, { name, format: "raw", capacityBytes: 0, isThin: true });
}

async function demandVolume(
  { ctx, client }: Site,
  pool: string,
  place: OpenPool,
  volume: VolumeXml,
): Promise<Volume> {
  const find = () => client.findVolume(place.pool, volume.name, ctx.signal);
  const found = await unlessMissing(find);
  if (found) return found;
  try {
    return await client.createVolume(place.pool, volumeXml(volume), ctx.signal);
  } catch (thrown) {
    if (hasCode(thrown, "LIBVIRT_ALREADY_EXISTS")) return find();
    throw explainVolume(thrown, volume.name, pool);
  }
}

/** For a disk that no running machine holds. */
export async function growVolume({ ctx, client }: Site, volume: Volume, bytes: number): Promise<void> {
  const { capacityBytes } = await client.volumeInfo(volume, ctx.signal);
  if (capacityBytes < bytes) await client.resizeVolume(volume, bytes, ctx.signal);
}

export function poolOf(
  { places }: Pick<Site, "places">,
  want: Pick<MachineWant, "host" | "node">,
  pool: string,
): OpenPool {
  const place = places[pool];
  if (!place) throw poolMissing({ doing: `make machine ${want.node}`, pool, host: want.host });
  return place;
}
