import type { Asking, Discovered } from "../../plan/index.ts";
import { tooLittleMemory } from "./errors.ts";
import type { Size, Sizes } from "./proposal.ts";

interface Counts {
  controlPlanes: number;
  workers: number;
}

/** Machines that exist have the size they have. */
const none: Size = { cores: 0, memoryGiB: 0, diskGiB: 0 };
const memoriesGiB = [8, 4, 2];
const disksGiB = [40, 20, 10];
/** The host itself needs some, and so does what is not a machine. */
const usable = 0.9;

/** Sizes that fit what is free on the smallest host, with its part of the machines on it. */
export async function askSizes(found: Discovered, counts: Counts, asking: Asking): Promise<Sizes> {
  const { hosts, machines } = found;
  if (machines) return { controlPlane: none, worker: none };
  const perHost = Math.ceil((counts.controlPlanes + counts.workers) / hosts.length);
  const freeGiB = Math.min(...hosts.map(({ memoryFreeMiB }) => memoryFreeMiB)) / 1024;
  const memory = memoriesGiB.find((each) => each * perHost <= freeGiB * usable);
  if (memory === undefined)
    throw tooLittleMemory({
      hosts: hosts.map(({ name }) => name),
      freeGiB: Math.floor(hosts.reduce((sum, { memoryFreeMiB }) => sum + memoryFreeMiB, 0) / 1024),
      machines: counts.controlPlanes + counts.workers,
    });
  const roomGiB = Math.min(...hosts.map(({ diskFreeGiB }) => diskFreeGiB)) * usable;
  const disk = disksGiB.find((each) => each * perHost <= roomGiB) ?? 10;
  const threads = Math.min(...hosts.map(({ cores }) => cores));
  const worker: Size = {
    cores: await askNumber(asking, "cores", "Processor cores of a worker", Math.max(2, Math.min(4, threads))),
    memoryGiB: await askNumber(asking, "memory", "Memory of a worker in GiB", memory),
    diskGiB: await askNumber(asking, "disk", "Disk of a machine in GiB", disk),
  };
  return {
    worker,
    controlPlane: { cores: 2, memoryGiB: Math.min(worker.memoryGiB, 4), diskGiB: worker.diskGiB },
  };
}

async function askNumber(asking: Asking, key: string, text: string, proposal: number): Promise<number> {
  const answer = await asking.ask({
    ...{ key, text, proposal: String(proposal), isQuiet: true },
    refuse: (given) => (/^[1-9]\d{0,4}$/.test(given) ? undefined : "is not a whole number"),
  });
  return Number(answer);
}
