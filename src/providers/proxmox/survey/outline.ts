import type { Outline, ReadContext } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { groupByServer, type HostRegistry } from "../host-registry.ts";
import { taggedCluster } from "../mark.ts";
import { unlessUnreachable, unreachableNodes } from "./unreachable.ts";

/** Two calls for each Proxmox cluster, however many machines it has. */
export async function outlineHosts(
  ctx: ReadContext,
  registry: HostRegistry,
  hosts: ProxmoxHost[],
): Promise<Outline> {
  const parts = await Promise.all(
    groupByServer(hosts).map(async (group) => {
      const asked = await unlessUnreachable(ctx, group, () => outlineServer(ctx, registry, group));
      return Array.isArray(asked) ? { machines: [], unreachable: asked } : asked;
    }),
  );
  return {
    machines: parts.flatMap((part) => part.machines),
    unreachable: parts.flatMap((part) => part.unreachable),
  };
}

async function outlineServer(
  ctx: ReadContext,
  registry: HostRegistry,
  group: ProxmoxHost[],
): Promise<Outline> {
  const client = await registry.client(group[0]?.name ?? "");
  const [guests, nodes] = await Promise.all([client.guests(ctx.signal), client.nodes(ctx.signal)]);
  const machines = guests.flatMap(({ vmid, node, name, tags, isRunning, cores, memoryMiB, diskGiB }) => {
    const cluster = taggedCluster(tags);
    if (cluster === undefined) return [];
    const host = group.find((each) => each.proxmox.node === node)?.name ?? node;
    const line = [vmid, name, node, isRunning, cores, memoryMiB, diskGiB, ...tags].join(" ");
    return [{ cluster, host, line }];
  });
  return { machines, unreachable: unreachableNodes(group, nodes) };
}
