import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { labFile } from "../support/lab-file.ts";
import { whole } from "../support/whole-sweep.ts";

/** More by hand: SLIPWAY_CYCLES=200 npx vitest run test/rehearsal/cycles.test.ts */
const cycles = Number(process.env["SLIPWAY_CYCLES"] ?? 6);
const warmUp = 3;

const fleet = fleetOf(
  labFile(`  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
    workers: { count: 1, address: .111 }
`),
);

const openFiles = (): number => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);

/** What is left when everything that can go has gone: connections that wait for the next call close after some seconds. */
async function settled() {
  let files = openFiles();
  for (let quiet = 0; quiet < 12; quiet += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (openFiles() < files) quiet = 0;
    files = openFiles();
  }
  globalThis.gc?.();
  const handles = process.getActiveResourcesInfo().filter((kind) => !/^(Timeout|Immediate)$/.test(kind));
  return { heapMiB: process.memoryUsage().heapUsed / 2 ** 20, files, handles: handles.length };
}

test(
  `${cycles} times up and down leave no machine, no connection and no file open [attack untried: 200 cycles]`,
  { ...whole, timeout: 120_000 + cycles * 15_000 },
  async () => {
    await using site = await rehearsalSite(fleet);
    let before: Awaited<ReturnType<typeof settled>> | undefined;
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      const up = await site.up(fleet);
      expect(errorsIn(up.events)).toEqual([]);
      const down = await site.down(fleet);
      expect(errorsIn(down.events)).toEqual([]);
      expect(site.machines()).toEqual([]);
      // The first ones load what stays: modules, pooled connections, the image.
      if (cycle === warmUp) before = await settled();
    }
    const after = await settled();
    if (before === undefined) throw new Error(`fewer than ${warmUp} cycles say nothing`);
    if (process.env["SLIPWAY_CYCLES"] !== undefined)
      process.stdout.write(`${JSON.stringify({ cycles, before, after })}\n`);
    expect(after.files - before.files).toBeLessThan(10);
    expect(after.handles - before.handles).toBeLessThan(10);
    // Without a way to ask for a collection only a leak of whole runs is told from chance.
    expect(after.heapMiB - before.heapMiB).toBeLessThan(120);
  },
);
