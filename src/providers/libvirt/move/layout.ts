import path from "node:path";
import type { LibvirtClient, Volume } from "../../../clients/libvirt/index.ts";
import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { firstAt, readXml } from "../../../lib/index.ts";
import type { ReadContext } from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import type { DiskSource } from "../disks/machine-disks.ts";
import { pathOf, volumeAt, type MachineHave } from "../machine/find-machine.ts";
import { isImageName, isSeedOf, readDataVolume, systemVolume } from "../names.ts";
import type { OpenPool } from "../pool/open-pool.ts";
import { readVolume, type FoundVolume } from "../pool/volume-xml.ts";

/** A volume of a machine, as it lies on its host. */
export interface OwnVolume {
  volume: Volume;
  found: FoundVolume;
  /** So much is read when it is copied. */
  bytes: number;
  isBlock: boolean;
  /** The image it holds only the difference to. */
  base?: OwnVolume | undefined;
}

/** All that a machine stands on and that goes where it goes; `strange` are disks of which Slipway cannot say so. */
export async function volumesOf(
  ctx: Pick<ReadContext, "signal">,
  client: LibvirtClient,
  have: MachineHave,
): Promise<{ volumes: OwnVolume[]; strange: string[] }> {
  const { defined } = have;
  const sources = [
    ...defined.disks.map(({ source, target }) => ({ source, target })),
    ...(defined.seed ? [{ source: defined.seed.source, target: "seed" }] : []),
  ];
  const read = await Promise.all(
    sources.map(async ({ source, target }) => {
      const own = await volumeBehind(ctx, client, have, source);
      const isOurs = own && isNamedAfter(have, own.volume.name) && isPlain(own);
      return isOurs ? { own } : { strange: `${target} (${pathOf(source)})` };
    }),
  );
  return {
    volumes: read.flatMap(({ own }) => own ?? []),
    strange: read.flatMap(({ strange }) => strange ?? []),
  };
}

async function volumeBehind(
  ctx: Pick<ReadContext, "signal">,
  client: LibvirtClient,
  { places }: Pick<MachineHave, "places">,
  source: DiskSource,
): Promise<OwnVolume | undefined> {
  const volume = await volumeAt(client, places, pathOf(source), ctx.signal);
  const place = volume && places[volume.pool];
  if (!place) return undefined;
  const xml = await client.volumeXml(volume, ctx.signal);
  const found = readVolume(xml);
  const { backing } = found;
  return {
    volume,
    found,
    isBlock: place.isBlock,
    bytes: place.isBlock
      ? found.capacityBytes
      : (bytesOf(firstAt(readXml(xml), "physical"), "bytes") ?? found.allocationBytes),
    ...(backing && {
      base: await volumeBehind(ctx, client, { places }, { kind: "file", path: backing.path }),
    }),
  };
}

const isNamedAfter = ({ cluster, node }: MachineHave, name: string): boolean => {
  const data = readDataVolume(name);
  return (
    (data?.cluster === cluster && data.node === node) ||
    isSeedOf(cluster, node, name) ||
    name === systemVolume(cluster, node, "qcow2") ||
    name === systemVolume(cluster, node, "raw")
  );
};

/** It stands on an image of ours or on nothing; anything else is somebody's snapshot. */
const isPlain = ({ found, base }: OwnVolume): boolean =>
  !found.backing ||
  (base !== undefined && !base.found.backing && isImageName(path.posix.basename(found.backing.path)));

/** The pool that takes the place of another: each host has one of its own, others go by their names. */
export const poolThere = (pool: string, from: LibvirtHost, to: LibvirtHost): string =>
  pool === from.libvirt.pool.name ? to.libvirt.pool.name : pool;

/** Why the volume cannot lie there; completes "HOST …". */
export function againstPlace(own: OwnVolume, pool: string, place: OpenPool | undefined): string | undefined {
  if (!place) return `has no storage pool "${pool}"`;
  if (place.isBlock === own.isBlock) return undefined;
  return `keeps ${place.isBlock ? "devices" : "files"} in pool "${pool}", and "${own.volume.name}" is a ${own.isBlock ? "device" : "file"}`;
}
