import { readdirSync } from "node:fs";
import { isReady } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize, type ManySite } from "../../test/support/controller/many-clusters.ts";
import { rssMiB, using } from "./usage.ts";

export interface SoakFigures {
  hours: number;
  cpuSeconds: number;
  /** After the first sixth of the time, and in the end. */
  rssMiB: [early: number, late: number];
  heapMiB: [early: number, late: number];
  /** Open files and connections, of both ends. */
  files: [early: number, late: number];
  /** Objects that were written although nothing changed. */
  writes: number;
}

const hourMs = 3_600_000;

/** S7: clusters that are as asked for, for so many simulated hours. */
export async function soak(size: FleetSize, hours: number): Promise<SoakFigures> {
  const site = await manyClusters({ ...size, runs: 10 }, { apply: "Auto" });
  try {
    await site.start("one");
    await site.untilAll(isReady);
    const early = hours / 6;
    await pass(site, early);
    const before = { ...look(), versions: await versions(site) };
    const { use } = await using(() => pass(site, hours - early));
    const after = { ...look(), versions: await versions(site) };
    return {
      hours,
      cpuSeconds: use.cpuSeconds,
      rssMiB: [before.rss, after.rss],
      heapMiB: [before.heap, after.heap],
      files: [before.files, after.files],
      writes: after.versions.filter((version) => !before.versions.includes(version)).length,
    };
  } finally {
    await site.close();
  }
}

/** The simulators remember every call for those who want to count them; nobody does here. */
async function pass(site: ManySite, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    await site.time.clock.sleep(Math.min(1, hours - hour) * hourMs);
    for (const { faults } of site.datacenters) faults.seen.length = 0;
  }
}

function look(): { rss: number; heap: number; files: number } {
  globalThis.gc?.();
  const files = process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
  return { rss: rssMiB(), heap: process.memoryUsage().heapUsed / 2 ** 20, files };
}

async function versions(site: ManySite): Promise<string[]> {
  return (await site.objects()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion ?? ""}`);
}
