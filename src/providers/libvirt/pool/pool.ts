import { SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient, Pool } from "../../../clients/libvirt/index.ts";
import {
  defineResource,
  same,
  type Graph,
  type ReadContext,
  type StepContext,
  type StepId,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import { folderTaken, poolElsewhere } from "../errors.ts";
import type { HostRegistry } from "../host-registry.ts";
import { poolUuid } from "../names.ts";
import { poolXml, readPool, type FoundPool } from "./pool-xml.ts";

export interface PoolWant {
  host: string;
  name: string;
  path: string;
  /** Only one that we have made is looked for: it is to go. */
  isLeftover?: true;
}

export interface PoolHave {
  host: string;
  name: string;
  path: string;
  isActive: boolean;
}

export const poolStep = (cluster: string, host: string): StepId => `${cluster}/pool/${host}`;

/** The pool of a host, where the file says which folder it is to stand for. */
export function describePool(cluster: string, host: LibvirtHost): Graph {
  const { name, path } = host.libvirt.pool;
  return path === undefined ? [] : [poolNode(cluster, { host: host.name, name, path }, [])];
}

/** It goes after everything that lies in it. What it still holds then keeps it. */
export function describeLeftoverPool(cluster: string, host: LibvirtHost, after: StepId[]): Graph {
  const { name, path } = host.libvirt.pool;
  if (path === undefined) return [];
  const want: PoolWant = { host: host.name, name, path, isLeftover: true };
  return [{ ...poolNode(cluster, want, after), keeps: `the folder ${path}` }];
}

const poolNode = (cluster: string, want: PoolWant, after: StepId[]): Graph[number] => ({
  id: poolStep(cluster, want.host),
  kind: "libvirt/pool",
  name: `storage pool ${want.name} on ${want.host}`,
  want,
  after,
  group: "nodes",
  stage: "machines",
  cluster,
  host: want.host,
  usualMs: 500,
  facts: { pool: want.name },
});

/**
 * A storage pool for a folder of the host. Pools have no place for a mark: the UUID says that it is ours. One that somebody
 * else has made for the same folder is used as it is, and never removed.
 */
export const libvirtPool = (registry: HostRegistry) =>
  defineResource<PoolWant, PoolHave>({
    kind: "libvirt/pool",
    face: ({ want }) => ({
      label: "storage pool",
      planLine: { counted: "storage pool", name: `${want.name} on ${want.host}` },
    }),

    async read(ctx, want) {
      const seen = await findPool(ctx, await registry.client(want.host), want.name);
      if (seen?.found.path !== want.path) return undefined;
      return want.isLeftover && !isOurs(seen.found) ? undefined : haveOf(want, seen.isActive);
    },

    compare: (_want, { isActive }) =>
      isActive
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "state", from: "stopped", to: "running" }],
          },

    create: (ctx, want) =>
      inTurn(ctx, want, async () => bringUp(ctx, await registry.client(want.host), want)),
    update: (ctx, want) =>
      inTurn(ctx, want, async () => bringUp(ctx, await registry.client(want.host), want)),
    remove: (ctx, have) =>
      inTurn(ctx, have, async () => removeEmpty(ctx, await registry.client(have.host), have)),

    out: (have) => ({ pool: have.name }),
  });

/** Clusters share the pool of a host, and each has a step for it. */
const inTurn = <T>(
  ctx: StepContext,
  of: { host: string; name: string },
  work: () => Promise<T>,
): Promise<T> => ctx.holding(`${of.host}/pool/${of.name}`, 1, work);

const haveOf = ({ host, name, path }: PoolWant, isActive: boolean): PoolHave => ({
  host,
  name,
  path,
  isActive,
});

const isOurs = ({ uuid, name, path }: FoundPool): boolean => uuid === poolUuid(name, path);

interface Seen {
  pool: Pool;
  found: FoundPool;
  isActive: boolean;
}

export async function findPool(
  ctx: Pick<ReadContext, "signal">,
  client: LibvirtClient,
  name: string,
): Promise<Seen | undefined> {
  const pool = (await client.pools(ctx.signal)).find((each) => each.name === name);
  if (!pool) return undefined;
  const [xml, { isActive }] = await Promise.all([
    client.poolXml(pool, ctx.signal),
    client.poolInfo(pool, ctx.signal),
  ]);
  return { pool, found: readPool(xml), isActive };
}

async function bringUp(ctx: ReadContext, client: LibvirtClient, want: PoolWant): Promise<PoolHave> {
  const seen = await findPool(ctx, client, want.name);
  if (seen && seen.found.path !== want.path) {
    throw poolElsewhere({ host: want.host, pool: want.name, path: want.path, found: seen.found.path });
  }
  const pool = seen?.pool ?? (await definePool(ctx, client, want));
  if (!seen?.isActive) {
    // Also when the pool was there: an earlier run may have been cut before it made the folder.
    await client.buildPool(pool, ctx.signal);
    await client.startPool(pool, ctx.signal);
  }
  await client.setPoolStartsWithHost(pool, true, ctx.signal);
  return haveOf(want, true);
}

async function definePool(ctx: ReadContext, client: LibvirtClient, want: PoolWant): Promise<Pool> {
  const { host, name, path } = want;
  try {
    const uuid = poolUuid(name, path);
    return await client.definePool(poolXml({ name, uuid, kind: "dir", path }), ctx.signal);
  } catch (thrown) {
    const isTaken = thrown instanceof SlipwayError && /source conflict with pool/i.test(thrown.why);
    throw isTaken ? folderTaken({ host, pool: name, path, cause: thrown }) : thrown;
  }
}

/** Its folder stays: libvirt would remove it only empty, and its maker may want it. */
async function removeEmpty(ctx: StepContext, client: LibvirtClient, have: PoolHave): Promise<void> {
  const seen = await findPool(ctx, client, have.name);
  if (!seen || seen.found.path !== have.path || !isOurs(seen.found)) return;
  if (seen.isActive) {
    await client.refreshPool(seen.pool, ctx.signal);
    const held = (await client.volumes(seen.pool, ctx.signal)).map(({ name }) => name);
    if (held.length > 0) {
      const some =
        held.length > 3 ? `${held.slice(0, 3).join(", ")} and ${held.length - 3} more` : held.join(", ");
      ctx.log("info", `storage pool ${have.name} stays on ${have.host}: it holds ${some}`);
      return;
    }
    await client.destroyPool(seen.pool, ctx.signal);
  }
  await client.undefinePool(seen.pool, ctx.signal);
}
