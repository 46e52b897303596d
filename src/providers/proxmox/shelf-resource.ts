import { defineResource, same, type StepContext } from "../../plan/index.ts";
import type { HostBook } from "./host-book.ts";
import { lookAtShelf, removeShelf, shelfLock, type ShelfPlace } from "./shelf.ts";

export interface ShelfParts {
  book: HostBook;
  slipway: string;
  /** VMIDs that machines of this run have or are about to get. */
  spoken: ReadonlySet<number>;
}

/** What a shelf is found by. */
export interface ShelfKey {
  cluster: string;
  host: string;
  on: string;
  vmid: number;
  /** The disks in it go too. */
  losesData?: boolean;
}

/** A shelf by itself is only ever removed; removals of machines make it, and new machines empty it. */
export const proxmoxShelf = (parts: ShelfParts) =>
  defineResource<ShelfKey, ShelfKey>({
    kind: "proxmox/shelf",

    async read(ctx, want) {
      const found = await lookAtShelf(ctx, await parts.book.client(want.host), want);
      return found?.cluster === want.cluster ? want : undefined;
    },

    compare: () => same,
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,

    async remove(ctx: StepContext, have) {
      const place = await shelfPlace(parts, have);
      await ctx.holding(shelfLock(place), 1, () =>
        removeShelf(ctx, place, have.vmid, have.losesData ?? false),
      );
    },
  });

export async function shelfPlace(
  parts: ShelfParts,
  key: { cluster: string; host: string; on: string },
): Promise<ShelfPlace> {
  const { pool } = parts.book.host(key.host).proxmox;
  const { cluster, host, on } = key;
  const client = await parts.book.client(host);
  const { slipway, spoken } = parts;
  return { client, host, on, cluster, ...(pool !== undefined && { pool }), slipway, spoken };
}
