import type { Host } from "../../spec/index.ts";
import type { HostFacts, Survey } from "../contract/provider.ts";

/** What a host may still promise to machines. */
export interface FreeCapacity {
  memoryMiB: number;
  cores: number;
}

/**
 * What was promised counts, not what is in use this moment: machines that idle now will want it later. Where more is in
 * use than was promised (containers, caches, the host's own work), that counts instead.
 */
export const freeCapacityOf = (host: Host, facts: HostFacts): FreeCapacity => ({
  memoryMiB:
    Math.floor(facts.memoryMiB * host.overcommit.memory) -
    Math.max(facts.memoryPromisedMiB, facts.memoryUsedMiB),
  cores: Math.floor(facts.cores * host.overcommit.cores) - facts.coresPromised,
});

/** What is known of a host, and what was taken of it since. */
interface Capacity {
  facts: HostFacts;
  taken: FreeCapacity;
}

/** The free capacity of every host; machines still to be made count as soon as they are placed. */
export class FreeCapacities {
  private readonly hosts: Map<string, Capacity>;

  constructor(survey: Survey) {
    this.hosts = new Map(
      survey.hosts.map((facts) => [facts.host, { facts, taken: { memoryMiB: 0, cores: 0 } }]),
    );
  }

  /** Nothing is known of a host that did not answer, and so nothing fits there. */
  of(host: Host): FreeCapacity {
    const known = this.hosts.get(host.name);
    if (!known) return { memoryMiB: 0, cores: 0 };
    const { memoryMiB, cores } = freeCapacityOf(host, known.facts);
    return { memoryMiB: memoryMiB - known.taken.memoryMiB, cores: cores - known.taken.cores };
  }

  take(host: Host, more: FreeCapacity): void {
    const taken = this.hosts.get(host.name)?.taken;
    if (!taken) return;
    taken.memoryMiB += Math.max(0, more.memoryMiB);
    taken.cores += Math.max(0, more.cores);
  }

  hasMemory(host: Host, wanted: FreeCapacity): boolean {
    return this.of(host).memoryMiB >= wanted.memoryMiB;
  }

  /** No overcommit helps one machine: none is started with more cores than the host has. */
  hasCores(host: Host, wanted: FreeCapacity): boolean {
    const known = this.hosts.get(host.name);
    return known !== undefined && known.facts.cores >= wanted.cores && this.of(host).cores >= wanted.cores;
  }

  /** Without what happens to be in use this moment, so that the same question gets the same answer a minute later. */
  unpromisedMiB(host: Host): number {
    const known = this.hosts.get(host.name);
    return known ? known.facts.memoryMiB - known.facts.memoryPromisedMiB - known.taken.memoryMiB : 0;
  }
}
