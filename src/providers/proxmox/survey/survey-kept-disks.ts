import type { MachineSummary, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { KeptDisk, KeptDisksHolder, ReadContext } from "../../../plan/index.ts";
import { inspectKeptDisksMachine } from "../disks/kept-disks.ts";
import { keptDisksTag, type KeptDisksMachine } from "../disks/kept-disks-mark.ts";

/** The kept-disks machines among the machines of a node. One may lack its tag, so its name counts as well. */
export async function keptDisksMachinesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  place: { host: string; on: string },
  all: MachineSummary[],
): Promise<KeptDisksMachine[]> {
  const candidates = all.filter(
    ({ tags, name }) => tags.includes(keptDisksTag) || (tags.length === 0 && name.endsWith("-kept-disks")),
  );
  const found = await Promise.all(
    candidates.map(({ vmid }) => inspectKeptDisksMachine(ctx, client, { ...place, vmid })),
  );
  return found.flatMap((keptDisksMachine) => keptDisksMachine ?? []);
}

/** A Proxmox cluster that is reached under several URLs shows each under each. */
export const keptDisksMachinesOnce = (keptDisksMachines: KeptDisksMachine[]): KeptDisksMachine[] => [
  ...new Map(
    keptDisksMachines.map((keptDisksMachine) => [
      `${keptDisksMachine.cluster}/${keptDisksMachine.on}/${keptDisksMachine.vmid}`,
      keptDisksMachine,
    ]),
  ).values(),
];

export const keptDisksHolder = ({ cluster, host, on, vmid, taken }: KeptDisksMachine): KeptDisksHolder => ({
  cluster,
  host,
  on,
  id: vmid,
  isEmpty: taken.length === 0,
});

export const disksKeptIn = ({ cluster, host, on, vmid, disks }: KeptDisksMachine): KeptDisk[] =>
  disks.map(({ node, index, sizeGiB, volume, for: purpose }) => ({
    cluster,
    node,
    host,
    on,
    index,
    sizeGiB,
    holder: vmid,
    volume,
    for: purpose,
  }));
