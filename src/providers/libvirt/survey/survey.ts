import { errorData, SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import type {
  HostFacts,
  KeptDisk,
  OwnedMachine,
  KeptDisksHolder,
  OwnSurvey,
  ReadContext,
  Survey,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import { dataNumbers } from "../disks/compare-disks.ts";
import { pathOf, placesOn, readDomain, type AnyMachine, type MachineHave } from "../machine/find-machine.ts";
import type { HostRegistry } from "../host-registry.ts";
import { dataSerial, imageOfMark, isImageName, readDataVolume } from "../names.ts";
import { isHalf, sortHalves, type Half, type Marked } from "../move/halves.ts";
import type { NetworkKey } from "../network/network-want.ts";
import { ownNetworks } from "../network/network.ts";
import { gibOfBytes, unlessMissing, volumesIn, type OpenPool } from "../pool/open-pool.ts";

/** What a survey of libvirt hosts saw that only libvirt has. Plain data that travels with the survey. */
interface LibvirtSeen {
  /** Networks of ours. */
  networks: NetworkKey[];
  /** What moves that were cut have left. */
  halves: Half[];
}

/** One host, before it is known which of its machines are only halves. */
interface HostSurvey extends Survey {
  networks: NetworkKey[];
  marked: Marked[];
}

const kind = "libvirt";

/** Undefined: no libvirt was asked. */
export const seenIn = (own: OwnSurvey | undefined): LibvirtSeen | undefined =>
  own?.[kind] as LibvirtSeen | undefined;

/** One look at all hosts, side by side. What keeps one from answering makes it silent; it ends nothing else. */
export async function surveyHosts(
  ctx: ReadContext,
  registry: HostRegistry,
  hosts: LibvirtHost[],
): Promise<Survey> {
  const parts = await Promise.all(
    hosts.map(async (host): Promise<HostSurvey> => {
      try {
        return await surveyHost(ctx, await registry.client(host.name), host);
      } catch (thrown) {
        ctx.signal.throwIfAborted();
        if (!(thrown instanceof SlipwayError)) throw thrown;
        const error = { ...errorData(thrown), at: thrown.at ?? host.at };
        return { ...nothing(), networks: [], marked: [], unreachable: [{ host: host.name, error }] };
      }
    }),
  );
  const { machines, halves } = sortHalves(parts.flatMap((part) => part.marked));
  return {
    ...nothing(),
    machines,
    images: parts.flatMap((part) => part.images),
    keptDisks: parts.flatMap((part) => part.keptDisks),
    keptDisksHolders: parts.flatMap((part) => part.keptDisksHolders),
    unreachable: parts.flatMap((part) => part.unreachable),
    hosts: parts.flatMap((part) => part.hosts),
    places: parts.flatMap((part) => part.hosts.map(({ host }) => host)),
    own: { [kind]: { networks: parts.flatMap((part) => part.networks), halves } satisfies LibvirtSeen },
  };
}

const nothing = (): Survey => ({
  machines: [],
  images: [],
  keptDisks: [],
  keptDisksHolders: [],
  unreachable: [],
  hosts: [],
});

async function surveyHost(ctx: ReadContext, client: LibvirtClient, host: LibvirtHost): Promise<HostSurvey> {
  const { signal } = ctx;
  const [domains, places] = await Promise.all([client.domains(signal), placesOn(client, signal)]);
  const found = await Promise.all(
    domains.map((domain) => unlessMissing(() => readDomain(ctx, client, host.name, domain))),
  );
  const all = found.flatMap((each) => each ?? []);
  const marked = all.flatMap(({ mark, ...each }) =>
    mark ? [{ mark, machine: owned({ ...each, mark }) }] : [],
  );
  const volumes = await Promise.all(
    Object.values(places).map(async (place) => ({
      place,
      names: [...(await volumesIn(client, place, signal)).keys()],
    })),
  );
  const keptDisks = await keptOn(ctx, client, host.name, volumes, marked);
  return {
    ...nothing(),
    marked,
    images: volumes
      .filter(({ place }) => place.pool.name === host.libvirt.pool.name)
      .flatMap(({ place, names }) => imagesAmong(names).map((file) => ({ storage: place.pool.name, file })))
      .map((image) => ({ host: host.name, ...image })),
    keptDisks,
    keptDisksHolders: keptDisksHolders(keptDisks),
    hosts: [await factsOf(ctx, client, host, all, places)],
    networks: await ownNetworks(ctx, client, host.name),
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
    isRunning: have.isRunning,
    image: mark.image,
    memoryMiB: defined.memoryMiB,
    cores: defined.cores,
    dataDisksGiB: disks.map((disk) => disk.sizeGiB),
    keptDisks: disks.filter(({ index }) => !mark.data?.[index]?.isDisposable),
    isProtected: mark.isProtected === true,
    isProtectedByFile: mark.isProtected ? true : undefined,
    insteadOf: mark.insteadOf,
  };
};

/** Data disks whose machines are gone: their names say whose they are. */
async function keptOn(
  ctx: ReadContext,
  client: LibvirtClient,
  host: string,
  volumes: { place: OpenPool; names: string[] }[],
  marked: Marked[],
): Promise<KeptDisk[]> {
  const isThere = new Set(marked.map(({ mark: { cluster, node } }) => `${cluster}/${node}`));
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
      return [{ cluster, node, host, index: number - 1, sizeGiB, on: host, volume: name }];
    }),
  );
  return disks.flat();
}

/** Pools hold kept disks as they hold others: all of a cluster on a host count as one. */
const keptDisksHolders = (disks: KeptDisk[]): KeptDisksHolder[] =>
  [...new Map(disks.map((disk) => [`${disk.cluster}/${disk.host}`, disk])).values()].map(
    ({ cluster, host }) => ({ cluster, host, on: host, isEmpty: false }),
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
  // A machine that is not ours and off may stay off; ours is meant to run.
  const counted = all.filter(
    (machine) => machine.isRunning || (machine.mark && !isHalf(machine, machine.mark)),
  );
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
