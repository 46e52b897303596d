import type { Guest } from "../../../clients/proxmox/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { MachineUsage, OwnedMachine, ReadContext } from "../../../plan/index.ts";
import { groupByServer, type HostRegistry } from "../host-registry.ts";

/**
 * As the status daemon of Proxmox last saw it, up to ten seconds ago. The nodes' own lists would be fresher, but tell no
 * load to whoever asks them for the first time.
 */
export async function measureUsage(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
): Promise<MachineUsage[]> {
  const hosts = [...new Set(machines.map(({ host }) => host))].map(registry.host);
  const told = await Promise.all(
    groupByServer(hosts).map(async (group) => {
      const guests = await guestsOf(ctx, registry, group[0]?.name);
      const here = machines.filter(({ host }) => group.some(({ name }) => name === host));
      return here.flatMap(({ cluster, node, on, id }): MachineUsage[] => {
        const load = guests.find((guest) => guest.vmid === id && guest.node === on)?.load;
        return load ? [{ cluster, node, on, id, ...load }] : [];
      });
    }),
  );
  return told.flat();
}

async function guestsOf(
  ctx: ReadContext,
  registry: HostRegistry,
  host: string | undefined,
): Promise<Guest[]> {
  if (host === undefined) return [];
  try {
    return await (await registry.client(host)).guests(ctx.signal);
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    if (thrown instanceof SlipwayError) return [];
    throw thrown;
  }
}
