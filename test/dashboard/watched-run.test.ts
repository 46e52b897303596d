import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { eventStream, openJournal, upFleet } from "../../src/operations/index.ts";
import { realisticLatencies } from "../../src/sim/index.ts";
import { rehearsedDashboard, served, type Served } from "../support/dashboard/served.ts";
import { labFile } from "../support/lab-file.ts";
import { fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const file = fleetOf(
  labFile(`  lab:
    on: hydra
    network: { cidr: 192.168.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .11, vmid: 2000 }
    workers: { count: 2, cores: 2, memory: 2GiB, disk: 20GiB, address: .21, vmid: 3000 }
`),
  "slipway.yaml",
);

interface Measured {
  /** By the clock of the simulated hosts. */
  tookMs: number;
  /**
   * Processor time of this process: the run, the simulated hosts and their time, and where it is watched also the server, its
   * readers and what they wake. For the reader of the figures; another load of the machine makes it another one.
   */
  cpuMs: number;
  seen: number;
}

/** A run with its journal, as a terminal starts one. Two tabs may look at it all the while, served by the same process. */
async function measure(isWatched: boolean): Promise<Measured> {
  await using site = await rehearsalSite(file, { latencies: realisticLatencies });
  const { clock } = site.rehearsal.time;
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const journal = await openJournal(site.folder, "20260714-093102");
  const tell = eventStream({ clock, redaction: site.rehearsal.redaction }, journal.run, [journal.write]);
  const world = site.rehearsal.world(new AbortController().signal, tell);
  // The server looks at the journal, and the page asks, at the pace of the hosts' time: it is that many looks a run is worth.
  await using dashboard = isWatched
    ? await served({ ...rehearsedDashboard(site, () => file), clock })
    : undefined;
  const cpu = process.cpuUsage();
  const beganAt = clock.now();
  const tabs = dashboard ? [tab(dashboard, journal.run), tab(dashboard, journal.run)] : [];
  const asking = dashboard ? asks(dashboard, clock, over.signal) : Promise.resolve();
  const request = { fleet: file, selection: {}, until: "addons" as const, acceptDataLoss: [] };
  const { outcome } = await upFleet({ ...request, confirm: () => Promise.resolve(true) }, world);
  const tookMs = clock.now() - beganAt;
  over.abort();
  journal.close();
  const seen = await Promise.all(tabs);
  await asking;
  const { user, system } = process.cpuUsage(cpu);
  expect(outcome).toBe("done");
  return { tookMs, cpuMs: (user + system) / 1000, seen: seen.length === 0 ? 0 : Math.min(...seen) };
}

const tab = async (dashboard: Served, run: string): Promise<number> =>
  (await dashboard.follow(`/api/runs/${run}/events`)).events.length;

interface Sleeping {
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What the page of a tab asks beside the run it follows, and how often. */
async function asks(dashboard: Served, clock: Sleeping, over: AbortSignal): Promise<void> {
  const every = async (ms: number, place: string): Promise<void> => {
    while (!over.aborted) {
      await dashboard.ask(place);
      await clock.sleep(ms, over).catch(() => undefined);
    }
  };
  await Promise.all([every(30_000, "/api/session"), every(3_000, "/api/runs"), every(20_000, "/api/fleet")]);
}

test(
  "a page that watches a run slows it down by less than 1 %, also when the run's own process serves it",
  { ...whole, timeout: 1_200_000 },
  async () => {
    const watched = await measure(true);
    const alone = await measure(false);
    const slowerBy = watched.tookMs / alone.tookMs - 1;
    const figures = JSON.stringify({ alone, watched, slowerBy });
    if (process.env["SLIPWAY_FIGURES"] === "1") process.stdout.write(`${figures}\n`);
    expect(watched.seen, "each tab heard the run to its end").toBeGreaterThan(50);
    expect(slowerBy, figures).toBeLessThan(0.01);
  },
);
