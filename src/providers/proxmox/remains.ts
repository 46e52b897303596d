import { SlipwayError } from "../../errors/index.ts";
import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { ReadContext } from "../../plan/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";
import { groupByServer, type HostBook } from "./host-book.ts";

/** Looks for what a removal may leave behind under the numbers of machines that are gone. */
export async function remains(
  ctx: ReadContext,
  book: HostBook,
  hosts: ProxmoxHost[],
  removed: { host: string; vmid: number }[],
): Promise<string[]> {
  if (removed.length === 0) return [];
  const found = groupByServer(hosts).map(async (group) => {
    const [first] = group;
    if (!first) return [];
    const client = await book.client(first.name);
    const names = new Set(group.map((host) => host.name));
    const used = new Set((await client.guests(ctx.signal)).map((guest) => guest.vmid));
    // A number that somebody has taken since is theirs, with all that stands under it.
    const gone = new Set(
      removed.filter(({ host, vmid }) => names.has(host) && !used.has(vmid)).map(({ vmid }) => vmid),
    );
    const nodes = [...new Set(group.map((host) => host.proxmox.node))];
    return [
      ...(await unlessRefused(async () => {
        const managed = await client.haMachines(ctx.signal);
        return managed.filter((vmid) => gone.has(vmid)).map((vmid) => `HA resource vm:${vmid}`);
      })),
      ...(await Promise.all(nodes.map((node) => disksOn(ctx, client, node, gone)))).flat(),
    ];
  });
  return [...new Set((await Promise.all(found)).flat())];
}

async function disksOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  gone: Set<number>,
): Promise<string[]> {
  const storages = await unlessRefused(() => client.storages(node, ctx.signal));
  const volumes = storages
    .filter((storage) => storage.isActive && storage.content.includes("images"))
    .map((storage) => unlessRefused(() => client.storageContent(node, storage.name, "images", ctx.signal)));
  return (await Promise.all(volumes))
    .flat()
    .filter((volume) => volume.vmid !== undefined && gone.has(volume.vmid))
    .map((volume) => `disk ${volume.volume} on ${node}`);
}

/** Not every token may look everywhere; what it may not see, it did not make. */
async function unlessRefused<T>(read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read();
  } catch (thrown) {
    if (
      thrown instanceof SlipwayError &&
      ["PVE_FORBIDDEN", "PVE_NOT_FOUND", "PVE_REFUSED"].includes(thrown.code)
    )
      return [];
    throw thrown;
  }
}
