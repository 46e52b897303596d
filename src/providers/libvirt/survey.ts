import { errorData, SlipwayError } from "../../errors/index.ts";
import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import type { HostFacts, KeptDisk, OwnedMachine, OwnedShelf, ReadContext, Survey } from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";
import { dataNumbers } from "./compare-disks.ts";
import { pathOf, placesOn, readDomain, type AnyMachine, type MachineHave } from "./find-machine.ts";
import type { HostBook } from "./host-book.ts";
import { dataSerial, imageOfMark, isImageName, readDataVolume } from "./names.ts";
import { gibOfBytes, unlessMissing, volumesIn, type OpenPool } from "./place.ts";

/** One look at all hosts, side by side. What keeps one from answering makes it silent; it ends nothing else. */
export async function surveyHosts(ctx: ReadContext, book: HostBook, hosts: LibvirtHost[]): Promise<Survey> {
  const parts = await Promise.all(
    hosts.map(async (host): Promise<Survey> => {
      try {
        return await surveyHost(ctx, await book.client(host.name), host);
      } catch (thrown) {
        ctx.signal.throwIfAborted();
        if (!(thrown instanceof SlipwayError)) throw thrown;
        const error = { ...errorData(thrown), at: thrown.at ?? host.at };
        return { ...nothing(), silent: [{ host: host.name, error }] };
      }
    }),
  );
  return {
    ...nothing(),
    machines: parts.flatMap((part) => part.machines),
    images: parts.flatMap((part) => part.images),
    keptDisks: parts.flatMap((part) => part.keptDisks),
    shelves: parts.flatMap((part) => part.shelves),
    silent: parts.flatMap((part) => part.silent),
    hosts: parts.flatMap((part) => part.hosts),
    places: parts.flatMap((part) => part.hosts.map(({ host }) => host)),
  };
}

const nothing = (): Survey => ({
  machines: [],
  images: [],
  templates: [],
  keptDisks: [],
  shelves: [],
  silent: [],
  takenVmids: new Map(),
  hosts: [],
});

async function surveyHost(ctx: ReadContext, client: LibvirtClient, host: LibvirtHost): Promise<Survey> {
  const { signal } = ctx;
  const [domains, places] = await Promise.all([client.domains(signal), placesOn(client, signal)]);
  const found = await Promise.all(
    domains.map((domain) => unlessMissing(() => readDomain(ctx, client, host.name, domain))),
  );
  const all = found.flatMap((each) => each ?? []);
  const machines = all.flatMap((each) => (each.mark ? [owned({ ...each, mark: each.mark })] : []));
  const volumes = await Promise.all(
    Object.values(places).map(async (place) => ({
      place,
      names: [...(await volumesIn(client, place, signal)).keys()],
    })),
  );
  const keptDisks = await keptOn(ctx, client, host.name, volumes, machines);
  return {
    ...nothing(),
    machines,
    images: volumes
      .filter(({ place }) => place.pool.name === host.libvirt.pool.name)
      .flatMap(({ place, names }) => imagesAmong(names).map((file) => ({ storage: place.pool.name, file })))
      .map((image) => ({ host: host.name, ...image })),
    keptDisks,
    shelves: shelvesOf(keptDisks),
    hosts: [await factsOf(ctx, client, host, all, places)],
  };
}

/** Each once, also when only a part of it is there. */
const imagesAmong = (names: string[]): string[] => [...new Set(names.filter(isImageName).map(imageOfMark))];

const owned = (have: MachineHave): OwnedMachine => {
  const { mark, defined, diskBytes } = have;
  const disks = dataNumbers(defined).flatMap((number) => {
    const disk = defined.disks.find((each) => each.serial === dataSerial(number));
    const file = disk ? pathOf(disk.source) : "";
    const bytes = diskBytes[file];
    return bytes === undefined
      ? []
      : [{ index: number - 1, sizeGiB: gibOfBytes(bytes), volume: file.split("/").at(-1) ?? "" }];
  });
  return {
    cluster: mark.cluster,
    node: mark.node,
    role: mark.role,
    host: have.host,
    on: have.host,
    // libvirt has names, not numbers.
    vmid: 0,
    isRunning: have.isRunning,
    image: mark.image,
    memoryMiB: defined.memoryMiB,
    cores: defined.cores,
    dataDisksGiB: disks.map((disk) => disk.sizeGiB),
    keptDisks: disks.filter(({ index }) => !mark.data?.[index]?.isDisposable),
    isProtected: mark.isProtected === true,
    ...(mark.isProtected && { isProtectedByFile: true }),
  };
};

/** Data disks whose machines are gone: their names say whose they are. */
async function keptOn(
  ctx: ReadContext,
  client: LibvirtClient,
  host: string,
  volumes: { place: OpenPool; names: string[] }[],
  machines: OwnedMachine[],
): Promise<KeptDisk[]> {
  const isThere = new Set(machines.map(({ cluster, node }) => `${cluster}/${node}`));
  const kept = volumes.flatMap(({ place, names }) =>
    names.flatMap((name) => {
      const data = readDataVolume(name);
      return data && !isThere.has(`${data.cluster}/${data.node}`) ? [{ place, name, ...data }] : [];
    }),
  );
  const disks = await Promise.all(
    kept.map(async ({ place, name, cluster, node, number }): Promise<KeptDisk[]> => {
      const info = await unlessMissing(async () =>
        client.volumeInfo(await client.findVolume(place.pool, name, ctx.signal), ctx.signal),
      );
      if (!info) return [];
      const sizeGiB = gibOfBytes(info.capacityBytes);
      return [{ cluster, node, host, index: number - 1, sizeGiB, on: host, shelf: 0, volume: name }];
    }),
  );
  return disks.flat();
}

/** All that was kept of a cluster on a host counts as one shelf. */
const shelvesOf = (disks: KeptDisk[]): OwnedShelf[] =>
  [...new Map(disks.map((disk) => [`${disk.cluster}/${disk.host}`, disk])).values()].map(
    ({ cluster, host }) => ({ cluster, host, on: host, vmid: 0, isEmpty: false }),
  );

async function factsOf(
  ctx: ReadContext,
  client: LibvirtClient,
  host: LibvirtHost,
  all: AnyMachine[],
  places: Record<string, OpenPool>,
): Promise<HostFacts> {
  const { signal } = ctx;
  const [versions, info, storages] = await Promise.all([
    client.versions(signal),
    client.hostInfo(signal),
    Promise.all(
      Object.values(places).map(async ({ pool, isBlock }) => {
        // Pools of others come and go while we look.
        const found = await unlessMissing(() => client.poolInfo(pool, signal));
        if (!found) return [];
        const [freeGiB, totalGiB] = [gibOfBytes(found.availableBytes), gibOfBytes(found.capacityBytes)];
        return [{ name: pool.name, freeGiB, totalGiB, type: isBlock ? "block" : "dir" }];
      }),
    ),
  ]);
  const running = all.filter((machine) => machine.isRunning);
  // A machine of somebody else's that is off may stay off; ours is meant to run.
  const counted = all.filter((machine) => machine.isRunning || machine.mark);
  return {
    host: host.name,
    realm: host.libvirt.uri,
    software: `libvirt ${versions.libvirt}, QEMU ${versions.hypervisor}`,
    cores: info.cpus,
    memoryMiB: info.memoryMiB,
    // What libvirt calls free leaves out the host's caches, which would make way.
    memoryUsedMiB: memoryOf(running),
    memoryPromisedMiB: memoryOf(counted),
    coresPromised: counted.reduce((sum, { defined }) => sum + defined.cores, 0),
    storages: storages.flat(),
  };
}

const memoryOf = (machines: AnyMachine[]): number =>
  machines.reduce((sum, { defined }) => sum + defined.memoryMiB, 0);
