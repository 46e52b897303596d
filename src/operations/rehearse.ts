import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { CallTrace, Redaction, VirtualTime } from "../lib/index.ts";
import type { Tell } from "../plan/index.ts";
import type { Datacenter } from "../sim/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { upFleet } from "./up.ts";
import type { RunReport } from "./run/run-report.ts";
import { withChartsFromSite } from "./rehearsal/charts-from-site.ts";
import { withoutImageChecksums } from "./rehearsal/image-sites.ts";
import type { Selection } from "./fleet/select.ts";

export interface RehearseRequest {
  fleet: Fleet;
  selection: Selection;
  speed: number;
  stop: AbortSignal;
  calls?: CallTrace;
  redaction?: Redaction;
  /** Given the rehearsal's time, which is not that of the wall. */
  openStream(time: VirtualTime, rehearsal: OpenRehearsal): Tell | Promise<Tell>;
  /** Called when the run has ended, while its datacenter still stands. */
  onEnd?(): Promise<void>;
}

/** A simulated datacenter for a fleet. Worlds come and go; the datacenter stays until it is closed. */
export interface OpenRehearsal {
  time: VirtualTime;
  redaction: Redaction;
  /** Where its secrets and journals are kept; gone when it is closed. */
  folder: string;
  datacenter: Datacenter;
  /** What of a fleet can be rehearsed there, in the words of its site. */
  adapt(fleet: Fleet): Fleet;
  world(stop: AbortSignal, tell: Tell): World;
  close(): Promise<void>;
}

export async function openRehearsal(
  request: Pick<RehearseRequest, "fleet" | "calls" | "redaction"> & { speed?: number },
): Promise<OpenRehearsal> {
  const { speed, calls, redaction } = request;
  const adapt = (fleet: Fleet): Fleet => withoutImageChecksums(withChartsFromSite(fleet));
  const fleet = adapt(request.fleet);
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rehearsal-"));
  // The datacenter is large, and only rehearsals need it.
  const { startRehearsal } = await import("./rehearsal/world.ts");
  const { close, ...site } = await startRehearsal(fleet, {
    folder,
    calls,
    redaction,
    speed,
  });
  return {
    ...site,
    folder,
    adapt,
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the user's own file against a simulated datacenter. Nothing real is touched. */
export async function rehearseFleet(request: RehearseRequest): Promise<RunReport> {
  const { selection, stop } = request;
  const rehearsal = await openRehearsal(request);
  const fleet = rehearsal.adapt(request.fleet);
  try {
    const world = rehearsal.world(stop, await request.openStream(rehearsal.time, rehearsal));
    const runReport = await upFleet(
      {
        fleet,
        selection,
        until: "addons",
        acceptDataLoss: [],

        confirm: () => Promise.resolve(true),
      },
      world,
    );
    await request.onEnd?.();
    return runReport;
  } finally {
    await rehearsal.close();
  }
}
