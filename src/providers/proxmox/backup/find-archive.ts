import { SlipwayError } from "../../../errors/index.ts";
import type { MachineArchive, StorageInfo } from "../../../clients/proxmox/index.ts";
import type { FoundArchive, MachineBackup, ReadContext, WantedArchive } from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { readMark } from "../mark.ts";
import { archiveForeign, archiveUnknown, noArchive } from "./errors.ts";
import { backedUpBySlipway, notesStart } from "./machine-backup.ts";

/** A backup, and where it was seen. */
interface Archive extends MachineArchive {
  host: string;
  on: string;
  isShared: boolean;
}

/** Backups of machines on all storages of these hosts, oldest first; what several hosts see stands once. */
async function archivesOn(ctx: ReadContext, registry: HostRegistry, hosts: string[]): Promise<Archive[]> {
  const known = new Map<string, Archive>();
  for (const host of hosts) {
    const { node: on } = registry.host(host).proxmox;
    const client = await registry.client(host);
    const storages = await client.storages(on, ctx.signal);
    for (const { name, isShared } of storages.filter(takesBackups)) {
      const found = await unlessHidden(client.archives(on, name, ctx.signal));
      for (const each of found)
        known.set(`${isShared ? "" : host} ${each.volume}`, { ...each, host, on, isShared });
    }
  }
  return [...known.values()].toSorted((a, b) => a.takenAt - b.takenAt);
}

const takesBackups = ({ content, isActive }: StorageInfo): boolean => isActive && content.includes("backup");

/** All there are of these nodes, also those that Slipway did not take. */
export async function listArchives(
  ctx: ReadContext,
  registry: HostRegistry,
  nodes: WantedArchive[],
): Promise<MachineBackup[]> {
  const hosts = [...new Set(nodes.flatMap((node) => node.hosts))].filter(registry.knows);
  const all = await archivesOn(ctx, registry, hosts);
  return nodes.flatMap((wanted) =>
    all
      .filter((each) => wanted.hosts.includes(each.host) || each.isShared)
      .filter((each) => mayBeOf(wanted, each))
      .map(({ volume, takenAt, sizeBytes, notes }) => ({
        cluster: wanted.cluster,
        node: wanted.node,
        archive: volume,
        takenAt: new Date(takenAt * 1_000).toISOString(),
        sizeBytes,
        isOurs: notes.includes(backedUpBySlipway),
      })),
  );
}

/** A storage that the token may not look into holds nothing that could be restored. */
async function unlessHidden(list: Promise<MachineArchive[]>): Promise<MachineArchive[]> {
  try {
    return await list;
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_FORBIDDEN") return [];
    throw thrown;
  }
}

/**
 * The archive a node is made again from: the named one, or the newest of its machine. What is in it decides whose it is;
 * numbers are given anew, and notes can be written by anybody.
 */
export async function findArchive(
  ctx: ReadContext,
  registry: HostRegistry,
  wanted: WantedArchive,
  archive: string | undefined,
): Promise<FoundArchive> {
  const label = `${wanted.cluster}/${wanted.node}`;
  const hosts = wanted.hosts.filter(registry.knows);
  const newestFirst = (await archivesOn(ctx, registry, hosts)).toReversed();
  if (archive !== undefined) {
    const named = newestFirst.find(({ volume }) => volume === archive);
    if (!named) throw archiveUnknown({ label, archive, hosts });
    const owner = await ownerOf(ctx, registry, named);
    if (!isOf(wanted, owner)) throw archiveForeign({ label, archive, owner });
    return foundOf(named);
  }
  for (const each of newestFirst.filter((candidate) => mayBeOf(wanted, candidate))) {
    const owner = await ownerOf(ctx, registry, each);
    if (isOf(wanted, owner)) return foundOf(each);
  }
  throw noArchive({ label, hosts });
}

const mayBeOf = ({ cluster, node, ids }: WantedArchive, { vmid, notes }: Archive): boolean =>
  ids.includes(vmid) || notes.startsWith(notesStart({ cluster, node }));

const foundOf = ({ volume, takenAt, isShared, host }: Archive): FoundArchive => ({
  archive: volume,
  takenAt: new Date(takenAt * 1_000).toISOString(),
  ...(!isShared && { onlyOn: host }),
});

interface Owner {
  cluster: string;
  node: string;
}

const isOf = ({ cluster, node }: Owner, owner: Owner | undefined): boolean =>
  owner?.cluster === cluster && owner.node === node;

async function ownerOf(
  ctx: ReadContext,
  registry: HostRegistry,
  { host, on, volume }: Archive,
): Promise<Owner | undefined> {
  const client = await registry.client(host);
  const config = await client.archivedConfig(on, volume, ctx.signal);
  return readMark(config["description"] ?? "");
}
