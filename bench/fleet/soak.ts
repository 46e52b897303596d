import { isReady } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize, type ManySite } from "../../test/support/controller/many-clusters.ts";
import { holdings, using } from "./usage.ts";

export interface SoakFigures {
  hours: number;
  cpuSeconds: number;
  /** After the first sixth of the time, and in the end. */
  rssMiB: [early: number, late: number];
  heapMiB: [early: number, late: number];
  files: [early: number, late: number];
  /** Texts that logs and events may not hold. */
  secrets: [early: number, late: number];
  /** Objects that were written although nothing changed. */
  writes: number;
}

const hourMs = 3_600_000;

/** S7: clusters that are as asked for, for so many simulated hours. */
export async function soak(size: FleetSize, hours: number): Promise<SoakFigures> {
  const site = await manyClusters({ ...size, runs: 10 }, { apply: "Auto" });
  try {
    const { redaction } = await site.start("one");
    await site.untilAll(isReady);
    const look = async () => ({
      ...holdings(),
      secrets: redaction.secrets.length,
      versions: await versions(site),
    });
    const early = hours / 6;
    await pass(site, early);
    const before = await look();
    const { use } = await using(() => pass(site, hours - early));
    const after = await look();
    return {
      hours,
      cpuSeconds: use.cpuSeconds,
      rssMiB: [before.rssMiB, after.rssMiB],
      heapMiB: [before.heapMiB, after.heapMiB],
      files: [before.files, after.files],
      secrets: [before.secrets, after.secrets],
      writes: after.versions.filter((version) => !before.versions.includes(version)).length,
    };
  } finally {
    await site.close();
  }
}

async function pass(site: ManySite, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    await site.time.clock.sleep(Math.min(1, hours - hour) * hourMs);
    site.forgetCalls();
  }
}

async function versions(site: ManySite): Promise<string[]> {
  return (await site.objects()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion ?? ""}`);
}
