import type { Host } from "../spec/index.ts";
import type { HostFacts, Survey } from "./provider.ts";

/** What a host may still promise to machines. */
export interface Room {
  memoryMiB: number;
  cores: number;
}

/**
 * What was promised counts, not what is in use this moment: machines that idle now will want it later. Where more is in
 * use than was promised (containers, caches, the host's own work), that counts instead.
 */
export const roomOf = (host: Host, facts: HostFacts): Room => ({
  memoryMiB:
    Math.floor(facts.memoryMiB * host.overcommit.memory) -
    Math.max(facts.memoryPromisedMiB, facts.memoryUsedMiB),
  cores: Math.floor(facts.cores * host.overcommit.cores) - facts.coresPromised,
});

/** The room of every host; machines still to be made count as soon as they are placed. */
export class Rooms {
  private readonly survey: Survey;
  private readonly taken = new Map<string, Room>();

  constructor(survey: Survey) {
    this.survey = survey;
  }

  /** Nothing is known of a host that did not answer, and so nothing fits there. */
  of(host: Host): Room {
    const facts = this.factsOf(host);
    if (!facts) return { memoryMiB: 0, cores: 0 };
    const { memoryMiB, cores } = roomOf(host, facts);
    const taken = this.takenOn(host);
    return { memoryMiB: memoryMiB - taken.memoryMiB, cores: cores - taken.cores };
  }

  take(host: Host, more: Room): void {
    const { memoryMiB, cores } = this.takenOn(host);
    this.taken.set(host.name, {
      memoryMiB: memoryMiB + Math.max(0, more.memoryMiB),
      cores: cores + Math.max(0, more.cores),
    });
  }

  hasMemory(host: Host, wanted: Room): boolean {
    return this.of(host).memoryMiB >= wanted.memoryMiB;
  }

  /** No overcommit helps one machine: Proxmox starts none with more cores than the host has. */
  hasCores(host: Host, wanted: Room): boolean {
    return this.of(host).cores >= wanted.cores && (this.factsOf(host)?.cores ?? 0) >= wanted.cores;
  }

  /** Without what happens to be in use this moment, so that the same question gets the same answer a minute later. */
  unpromisedMiB(host: Host): number {
    const facts = this.factsOf(host);
    return facts ? facts.memoryMiB - facts.memoryPromisedMiB - this.takenOn(host).memoryMiB : 0;
  }

  private factsOf(host: Host): HostFacts | undefined {
    return this.survey.hosts.find((facts) => facts.host === host.name);
  }

  private takenOn(host: Host): Room {
    return this.taken.get(host.name) ?? { memoryMiB: 0, cores: 0 };
  }
}
