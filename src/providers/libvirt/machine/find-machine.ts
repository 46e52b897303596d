import path from "node:path";
import type { Domain, LibvirtClient, Volume } from "../../../clients/libvirt/index.ts";
import type { ReadContext } from "../../../plan/index.ts";
import { foreignMachine } from "../errors.ts";
import { readHostCapabilities } from "../survey/capabilities.ts";
import type { MachineKey } from "./machine-want.ts";
import type { MachineMark } from "../mark.ts";
import { machineName, machineUuid, systemSerial } from "../names.ts";
import { hasCode, isMissing, openPool, unlessMissing, type OpenPool } from "../pool/open-pool.ts";
import { readMachine, type FoundMachine } from "./read-machine.ts";

/** A machine of ours, as it is. */
export interface MachineHave extends MachineKey {
  domain: Domain;
  mark: MachineMark;
  isRunning: boolean;
  startsWithHost: boolean;
  /** False: it runs, and its definition was removed by hand. */
  isDefined: boolean;
  /** As it is at its next start. */
  defined: FoundMachine;
  /** As it is now. */
  running?: FoundMachine | undefined;
  /** Its making or its removal was cut: it has no system disk. */
  isUnfinished: boolean;
  /** Of its disks that are there, by path. */
  diskBytes: Record<string, number>;
  /** Pools of its host by name. */
  places: Record<string, OpenPool>;
  /** What the host gives to a machine that is made now. */
  offers: "kvm" | "qemu";
}

const running = new Set(["running", "blocked", "paused", "shutting down", "crashed", "suspended"]);

/** The machine of a node; undefined when there is none. What has its name or UUID without its mark is refused. */
export async function findMachine(
  ctx: ReadContext,
  client: LibvirtClient,
  key: MachineKey,
  doing: string,
): Promise<MachineHave | undefined> {
  const [name, uuid] = [key.name ?? machineName(key.cluster, key.node), machineUuid(key.cluster, key.node)];
  const domains = await client.domains(ctx.signal);
  const domain = domains.find((each) => plainUuid(each.uuid) === plainUuid(uuid));
  const namesake = domains.find((each) => each.name === name && each !== domain);
  if (namesake) {
    const owner = await unlessMissing(async () =>
      readMachine(await client.domainXml(namesake, "defined", ctx.signal)),
    );
    throw foreignMachine({ doing, name, host: key.host, owner: owner?.mark });
  }
  if (!domain) return undefined;
  const have = await unlessMissing(() => readDomain(ctx, client, key.host, domain));
  if (have === undefined) return undefined;
  const { mark } = have;
  if (mark?.cluster !== key.cluster || mark.node !== key.node)
    throw foreignMachine({ doing, name: domain.name, host: key.host, owner: mark });
  return { ...have, mark, losesData: key.losesData };
}

/** UUIDs come as text or as bare digits. */
const plainUuid = (uuid: string | Buffer): string =>
  (typeof uuid === "string" ? uuid : uuid.toString("hex")).replaceAll("-", "").toLowerCase();

/** Whether it is the machine of a node, whatever it is called. */
export const isDomainOf = (domain: Domain, { cluster, node }: { cluster: string; node: string }): boolean =>
  plainUuid(domain.uuid) === plainUuid(machineUuid(cluster, node));

export type AnyMachine = Omit<MachineHave, "mark"> & { mark?: MachineMark | undefined };

/** Everything about one machine of a host, ours or not. */
export async function readDomain(
  ctx: ReadContext,
  client: LibvirtClient,
  host: string,
  domain: Domain,
): Promise<AnyMachine> {
  const { signal } = ctx;
  const [defined, info, startsWithHost, isDefined, places, offers] = await Promise.all([
    client.domainXml(domain, "defined", signal).then(readMachine),
    client.domainInfo(domain, signal),
    client.startsWithHost(domain, signal).catch(() => false),
    client.isDefined(domain, signal),
    placesOn(client, signal),
    acceleratorOf(client, signal),
  ]);
  const isRunning = running.has(info.state);
  const now = isRunning ? readMachine(await client.domainXml(domain, "running", signal)) : undefined;
  const diskBytes = await sizesOf(client, [...defined.disks, ...(now?.disks ?? [])], places, signal);
  const system = defined.disks.find((disk) => disk.serial === systemSerial);
  const systemPath = system && pathOf(system.source);
  return {
    host,
    cluster: defined.mark?.cluster ?? "",
    node: defined.mark?.node ?? "",
    domain,
    mark: defined.mark,
    isRunning,
    startsWithHost,
    isDefined,
    defined,
    running: now,
    isUnfinished: systemPath === undefined || diskBytes[systemPath] === undefined,
    diskBytes,
    places,
    offers,
  };
}

/** Every pool of a host. */
export async function placesOn(
  client: LibvirtClient,
  signal: AbortSignal,
): Promise<Record<string, OpenPool>> {
  const pools = await client.pools(signal);
  const open = await Promise.all(pools.map((pool) => openPool(client, pool.name, signal)));
  return Object.fromEntries(open.flatMap((place) => (place ? [[place.pool.name, place]] : [])));
}

/** By KVM where the host has it for its own kind of processor. */
export async function acceleratorOf(client: LibvirtClient, signal: AbortSignal): Promise<"kvm" | "qemu"> {
  const { architecture, guests } = readHostCapabilities(await client.capabilities(signal));
  return guests.some((guest) => guest.architecture === architecture && guest.hasKvm) ? "kvm" : "qemu";
}

async function sizesOf(
  client: LibvirtClient,
  disks: FoundMachine["disks"],
  places: Record<string, OpenPool>,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const sizes = await Promise.all(
    [...new Set(disks.map((disk) => pathOf(disk.source)))].map(async (file) => {
      const volume = await volumeAt(client, places, file, signal);
      const info = volume && (await unlessMissing(() => client.volumeInfo(volume, signal)));
      return info ? [[file, info.capacityBytes] as const] : [];
    }),
  );
  return Object.fromEntries(sizes.flat());
}

/** The volume that lies at a path of the host, if one of its pools knows it. */
export async function volumeAt(
  client: LibvirtClient,
  places: Record<string, OpenPool>,
  file: string,
  signal: AbortSignal,
): Promise<Volume | undefined> {
  const place = Object.values(places).find((each) => each.path === path.posix.dirname(file));
  if (!place) return undefined;
  try {
    return await client.findVolume(place.pool, path.posix.basename(file), signal);
  } catch (thrown) {
    // A pool that is not started knows none of its volumes.
    if (isMissing(thrown) || hasCode(thrown, "LIBVIRT_WRONG_STATE")) return undefined;
    throw thrown;
  }
}

export const pathOf = (source: FoundMachine["disks"][number]["source"]): string =>
  source.kind === "volume" ? `${source.pool}/${source.volume}` : source.path;
