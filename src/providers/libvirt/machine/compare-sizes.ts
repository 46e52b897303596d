import type { Deviation } from "../../../plan/index.ts";
import { deviates } from "../../common/index.ts";
import type { MachineXml } from "./machine-xml.ts";
import type { FoundMachine } from "./read-machine.ts";

type Sizes = Pick<MachineXml, "cores" | "maxCores" | "memoryMiB" | "maxMemoryMiB">;

/**
 * Machines are made without room to grow: a kubelet counts cores and memory only when it starts, so that nothing would be
 * won by growing under it. What somebody has taken from a running machine comes back at once, and room for more cores
 * that somebody gave it by hand is used.
 */
export const compareSizes = (wanted: Sizes, found: FoundMachine, running?: Sizes): Deviation[] => [
  ...deviates("cores", found.cores, wanted.cores, {
    consequence: running && takesCores(wanted, running) ? "hot" : "reboot",
  }),
  ...deviates("memory", memoryText(found), memoryText({ memoryMiB: wanted.memoryMiB }), {
    consequence: running && takesMemory(wanted, running) ? "hot" : "reboot",
  }),
];

/** Fewer would have to be let go by the guest, which rarely does. */
export const takesCores = (wanted: Sizes, running: Sizes): boolean =>
  wanted.cores >= running.cores && wanted.cores <= (running.maxCores ?? running.cores);

/** A balloon that is let out again. One that is blown up would take memory from under the kubelet that counts on it. */
export const takesMemory = (wanted: Sizes, running: Sizes): boolean =>
  wanted.memoryMiB === (running.maxMemoryMiB ?? running.memoryMiB);

/** A guest counts all of it, also what it is made to give back. */
const memoryText = ({ memoryMiB, maxMemoryMiB }: Pick<Sizes, "memoryMiB" | "maxMemoryMiB">): string =>
  maxMemoryMiB === undefined ? `${memoryMiB} MiB` : `${memoryMiB} of ${maxMemoryMiB} MiB`;
