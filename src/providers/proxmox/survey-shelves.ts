import type { MachineSummary, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { KeptDisk, OwnedShelf, ReadContext } from "../../plan/index.ts";
import { lookAtShelf } from "./shelf.ts";
import { shelfTag, type ShelfHave } from "./shelf-mark.ts";

/** The shelves among the machines of a node. One may lack its tag, so its name counts as well. */
export async function shelvesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  place: { host: string; on: string },
  all: MachineSummary[],
): Promise<ShelfHave[]> {
  const candidates = all.filter(
    ({ tags, name }) => tags.includes(shelfTag) || (tags.length === 0 && name.endsWith("-kept-disks")),
  );
  const found = await Promise.all(candidates.map(({ vmid }) => lookAtShelf(ctx, client, { ...place, vmid })));
  return found.flatMap((shelf) => shelf ?? []);
}

/** A Proxmox cluster that is reached under several URLs shows a shelf under each. */
export const shelvesOnce = (shelves: ShelfHave[]): ShelfHave[] => [
  ...new Map(shelves.map((shelf) => [`${shelf.cluster}/${shelf.on}/${shelf.vmid}`, shelf])).values(),
];

export const ownedShelf = ({ cluster, host, on, vmid, taken }: ShelfHave): OwnedShelf => ({
  cluster,
  host,
  on,
  vmid,
  isEmpty: taken.length === 0,
});

export const disksOfShelf = ({ cluster, host, on, vmid, disks }: ShelfHave): KeptDisk[] =>
  disks.map(({ node, index, sizeGiB, volume, for: purpose }) => ({
    cluster,
    node,
    host,
    on,
    index,
    sizeGiB,
    shelf: vmid,
    volume,
    ...(purpose !== undefined && { for: purpose }),
  }));
