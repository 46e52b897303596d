import { defineResource, same, type StepContext } from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import {
  inspectKeptDisksMachine,
  removeKeptDisksMachine,
  keptDisksLock,
  type KeptDisksPlace,
} from "./kept-disks-machine.ts";

export interface KeptDisksParts {
  registry: HostRegistry;
  slipway: string;
}

/** What a shelf is found by. */
export interface KeptDisksKey {
  cluster: string;
  host: string;
  on: string;
  vmid: number;
  /** The disks in it go too. */
  losesData?: boolean | undefined;
}

/** A shelf by itself is only ever removed; removals of machines make it, and new machines empty it. */
export const proxmoxKeptDisks = (parts: KeptDisksParts) =>
  defineResource<KeptDisksKey, KeptDisksKey>({
    kind: "proxmox/shelf",
    face: () => ({ noun: "machine for kept disks", plural: "machines for kept disks" }),

    async read(ctx, want) {
      const found = await inspectKeptDisksMachine(ctx, await parts.registry.client(want.host), want);
      return found?.cluster === want.cluster ? want : undefined;
    },

    compare: () => same,
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,

    async remove(ctx: StepContext, have) {
      const place = await keptDisksPlace(parts, have);
      await ctx.holding(keptDisksLock(place), 1, () =>
        removeKeptDisksMachine(ctx, place, have.vmid, have.losesData ?? false),
      );
    },
  });

export async function keptDisksPlace(
  parts: KeptDisksParts,
  key: { cluster: string; host: string; on: string; reservedVmids?: number[] | undefined },
): Promise<KeptDisksPlace> {
  const { pool } = parts.registry.host(key.host).proxmox;
  const { cluster, host, on, reservedVmids = [] } = key;
  const client = await parts.registry.client(host);
  const { slipway } = parts;
  return { client, host, on, cluster, pool, slipway, reservedVmids };
}
