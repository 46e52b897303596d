import { limitTime, TimeLimitError } from "../../lib/index.ts";
import type { OwnedMachine, Survey } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";
import { readContext, type Parts } from "../planning/assemble.ts";

/** What a machine uses of what it has. A part that nobody measures is absent. */
export interface NodeUsage {
  /** Of all cores together. */
  cpuPercent?: number | undefined;
  cores: number;
  memoryUsedMiB?: number | undefined;
  memoryMiB: number;
  /** The hypervisor: `Proxmox VE 9.0.6`. */
  measuredBy: string;
}

const patienceMs = 3_000;

/** By node, of machines that run and whose hypervisor tells. */
export async function measureUsage(
  { provider }: Pick<Parts, "provider">,
  machines: OwnedMachine[],
  survey: Survey,
  world: World,
): Promise<Map<string, NodeUsage>> {
  const running = machines.filter(({ isRunning }) => isRunning);
  const told = await measured(provider, running, world);
  return new Map(
    running.flatMap((machine): [string, NodeUsage][] => {
      const found = told.find(
        ({ node, on, id }) => node === machine.node && on === machine.on && id === machine.id,
      );
      const measuredBy = survey.hosts.find(({ host }) => host === machine.host)?.software;
      if (!found || measuredBy === undefined) return [];
      const { cpuPercent, memoryUsedMiB } = found;
      const { cores, memoryMiB } = machine;
      return [
        [machine.node, { cpuPercent: rounded(cpuPercent), cores, memoryUsedMiB, memoryMiB, measuredBy }],
      ];
    }),
  );
}

const rounded = (percent: number | undefined): number | undefined =>
  percent === undefined ? undefined : Math.round(percent * 10) / 10;

/** What takes too long is not known: a quick look does not wait for it. */
async function measured(
  provider: Parts["provider"],
  running: OwnedMachine[],
  world: World,
): ReturnType<Parts["provider"]["usage"]> {
  if (running.length === 0) return [];
  try {
    return await limitTime(world.clock, patienceMs, "late", world.stop, (signal) =>
      provider.usage({ ...readContext(world), signal }, running),
    );
  } catch (thrown) {
    world.stop.throwIfAborted();
    if (thrown instanceof TimeLimitError) return [];
    throw thrown;
  }
}
