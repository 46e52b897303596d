import { currentXml, type SimHost } from "../host.ts";
import type { SimDomain } from "../state.ts";
import { sizesOf } from "./devices.ts";

/** As libvirt numbers the groups of statistics. */
const groups = { state: 1, cpu: 2, balloon: 4 };

/** A guest at rest: it computes a little all the time, and has some of its memory in use. */
const cpuShare = 0.06;
const memoryShare = 0.4;

export function loadOf(host: SimHost, domain: SimDomain): { cpuNs: number; usedKiB: number } {
  const { cpus, memoryKiB } = sizesOf(currentXml(domain));
  const upMs = domain.id < 0 ? 0 : host.clock.now() - (domain.startedAt ?? host.clock.now());
  return {
    cpuNs: Math.round(upMs * 1e6 * cpus * cpuShare),
    usedKiB: domain.id < 0 ? 0 : Math.round(memoryKiB * memoryShare),
  };
}

/** Of a machine that is off only its state is known. */
export function statsOf(
  host: SimHost,
  domain: SimDomain,
  wanted: number,
): { field: string; value: number }[] {
  const isAsked = (group: number): boolean => wanted === 0 || (wanted & group) !== 0;
  const { memoryKiB, maxMemoryKiB } = sizesOf(currentXml(domain));
  const { cpuNs, usedKiB } = loadOf(host, domain);
  const told: Record<string, number> = {
    ...(isAsked(groups.state) && { "state.state": domain.state, "state.reason": domain.reason }),
    ...(isAsked(groups.cpu) && domain.id >= 0 && { "cpu.time": cpuNs }),
    ...(isAsked(groups.balloon) && { "balloon.current": memoryKiB, "balloon.maximum": maxMemoryKiB }),
    ...(isAsked(groups.balloon) &&
      domain.id >= 0 && {
        "balloon.available": memoryKiB,
        "balloon.usable": memoryKiB - usedKiB,
        "balloon.rss": usedKiB,
      }),
  };
  return Object.entries(told).map(([field, value]) => ({ field, value }));
}
