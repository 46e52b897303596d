import type { Domain, DomainLoad, LibvirtClient } from "../../../clients/libvirt/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { MachineUsage, OwnedMachine, ReadContext } from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { isDomainOf } from "../machine/find-machine.ts";

/** libvirt only counts how long a machine has computed so far: its load is what it does between two looks. */
const betweenLooksMs = 500;

export async function measureUsage(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
): Promise<MachineUsage[]> {
  const hosts = [...new Set(machines.map(({ host }) => host))];
  const told = await Promise.all(
    hosts.map(async (host) => {
      try {
        const client = await registry.client(host);
        return await measureOn(
          ctx,
          client,
          machines.filter((machine) => machine.host === host && machine.isRunning),
        );
      } catch (thrown) {
        ctx.signal.throwIfAborted();
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      }
    }),
  );
  return told.flat();
}

async function measureOn(
  ctx: ReadContext,
  client: LibvirtClient,
  machines: OwnedMachine[],
): Promise<MachineUsage[]> {
  const all = await client.domains(ctx.signal);
  const found = machines.flatMap((machine) => {
    const domain = all.find((each) => isDomainOf(each, machine));
    return domain && domain.id >= 0 ? [{ machine, domain }] : [];
  });
  if (found.length === 0) return [];
  const domains = found.map(({ domain }) => domain);
  const first = await lookAt(ctx, client, domains);
  await ctx.clock.sleep(betweenLooksMs, ctx.signal);
  const second = await lookAt(ctx, client, domains);
  const passedMs = second.atMs - first.atMs;
  return found.map(({ machine: { cluster, node, on, cores }, domain: { uuid } }): MachineUsage => {
    const [before, now] = [first.loads.get(uuid), second.loads.get(uuid)];
    const computedNs =
      before?.cpuNs === undefined || now?.cpuNs === undefined ? undefined : now.cpuNs - before.cpuNs;
    return {
      ...{ cluster, node, on },
      cpuPercent: computedNs === undefined ? undefined : (computedNs / (passedMs * 1e6 * cores)) * 100,
      memoryUsedMiB: now?.memoryUsedKiB === undefined ? undefined : Math.round(now.memoryUsedKiB / 1024),
    };
  });
}

async function lookAt(
  { clock, signal }: ReadContext,
  client: LibvirtClient,
  domains: Domain[],
): Promise<{ atMs: number; loads: Map<string, DomainLoad> }> {
  const loads = await client.domainLoads(domains, signal);
  return { atMs: clock.now(), loads };
}
