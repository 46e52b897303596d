import { defineResource, same, type ReadContext } from "../../../plan/index.ts";
import type { LibvirtClient, Volume } from "../../../clients/libvirt/index.ts";
import { findMachine, placesOn } from "../machine/find-machine.ts";
import type { HostRegistry } from "../host-registry.ts";
import { readDataVolume } from "../names.ts";
import { unlessMissing, volumesIn } from "../pool/open-pool.ts";

export interface KeptDisksKey {
  host: string;
  cluster: string;
}

export interface KeptDisksHave extends KeptDisksKey {
  volumes: Volume[];
}

/** Data disks of a cluster whose machines are gone. They come by themselves, when a machine goes, and are only ever removed. */
export const libvirtKeptDisks = (registry: HostRegistry) =>
  defineResource<KeptDisksKey, KeptDisksHave>({
    kind: "libvirt/kept-disks",
    read: async (ctx, { host, cluster }) => {
      const volumes = await keptVolumes(ctx, await registry.client(host), { host, cluster });
      return volumes.length === 0 ? undefined : { host, cluster, volumes };
    },
    compare: () => same,
    create: async (_ctx, key) => ({ ...key, volumes: [] }),
    update: async (_ctx, _want, have) => have,
    async remove(ctx, { host, cluster }) {
      const client = await registry.client(host);
      for (const volume of await keptVolumes(ctx, client, { host, cluster }))
        await unlessMissing(() => client.removeVolume(volume, ctx.signal));
    },
  });

async function keptVolumes(
  ctx: ReadContext,
  client: LibvirtClient,
  { host, cluster }: KeptDisksKey,
): Promise<Volume[]> {
  const places = Object.values(await placesOn(client, ctx.signal));
  const volumes = await Promise.all(places.map((place) => volumesIn(client, place, ctx.signal)));
  const kept = volumes
    .flatMap((each) => [...each.values()])
    .map(async (volume) => {
      const data = readDataVolume(volume.name);
      if (data?.cluster !== cluster) return [];
      const key = { host, cluster, node: data.node };
      return (await findMachine(ctx, client, key, `remove data of ${data.node}`)) ? [] : [volume];
    });
  return (await Promise.all(kept)).flat();
}
