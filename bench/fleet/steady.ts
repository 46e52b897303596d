import type { TracedCall } from "../../src/lib/index.ts";
import { isReady, type StartedController } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize, type ManySite } from "../../test/support/controller/many-clusters.ts";
import { holdings, using } from "./usage.ts";

export interface SteadyFigures {
  /** For half a simulated hour, of all that is in this process: the controller, API servers, hosts and nodes. */
  cpuSeconds: number;
  /** The same without a controller: what API servers, hosts and nodes do by themselves. */
  idleCpuSeconds: number;
  /** Of the process while the fleet is watched. */
  rssMiB: number;
  /** What is on the heap and in buffers because a controller watches: its own, and the other ends of its connections. */
  watchingMiB: number;
  /** Connections that are open because a controller watches, with those to hosts that the wall has not closed yet. */
  connections: number;
  /** Calls in half an hour, by whom they ask. */
  calls: Partial<Record<TracedCall["protocol"], number>>;
  /** What was written in half an hour, to whomever; the Lease is left out. */
  writes: string[];
}

const minuteMs = 60_000;
const measuredMs = 30 * minuteMs;
/** Among clusters that are well, a controller has looked at each of them within ten minutes of its start. */
const settlingMs = 15 * minuteMs;

/** S2: clusters that run and are as asked for, each watched over one connection, and their hosts polled. */
export async function steady(size: FleetSize): Promise<SteadyFigures> {
  const site = await manyClusters({ ...size, runs: 10 }, { apply: "Auto" });
  try {
    const maker = await site.start("maker");
    await site.untilAll(isReady);
    // Hosts tell of new machines a little later.
    await site.time.clock.sleep(2 * minuteMs);
    await end(site, maker);
    const alone = await using(() => site.time.clock.sleep(measuredMs));
    const before = holdings();

    const watcher = await site.start("watcher");
    await site.time.clock.sleep(settlingMs);
    site.forgetCalls();
    const calls: SteadyFigures["calls"] = {};
    const writes: string[] = [];
    watcher.trace.listen(({ protocol, call }) => {
      calls[protocol] = (calls[protocol] ?? 0) + 1;
      if (isWrite(call)) writes.push(call);
    });
    const watched = await using(() => site.time.clock.sleep(measuredMs));
    writes.push(...watcher.calls.filter((call) => isWrite(call) && !call.includes("/leases/")));
    site.forgetCalls();
    const now = holdings();
    if (!(await site.objects()).every(isReady)) throw new Error("a cluster is not Ready any more");
    return {
      cpuSeconds: watched.use.cpuSeconds,
      idleCpuSeconds: alone.use.cpuSeconds,
      rssMiB: now.rssMiB,
      watchingMiB: now.heapMiB - before.heapMiB,
      connections: Math.round((now.files - before.files) / 2),
      calls,
      writes,
    };
  } finally {
    await site.close();
  }
}

async function end(site: ManySite, controller: StartedController): Promise<void> {
  controller.halt.abort();
  await site.time.during(controller.ended);
  site.forgetCalls();
}

const isWrite = (call: string): boolean => /^(POST|PUT|PATCH|DELETE) /.test(call);
