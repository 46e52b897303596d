import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Clock } from "../lib/index.ts";
import type { Tell } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import { applyFleet } from "./apply.ts";
import type { Ending } from "./ending.ts";
import type { Selection } from "./select.ts";

export interface RehearseRequest {
  fleet: Fleet;
  selection: Selection;
  speed: number;
  stop: AbortSignal;
  /** Given the rehearsal's clock, which runs faster than the wall. */
  openStream(clock: Clock): Tell;
}

/** Runs the user's own file against a simulated datacenter. Nothing real is touched. */
export async function rehearseFleet(request: RehearseRequest): Promise<Ending> {
  const { fleet, selection, speed, stop } = request;
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rehearsal-"));
  // The datacenter is large, and only rehearsals need it.
  const { startRehearsal } = await import("./rehearsal-world.ts");
  const rehearsal = await startRehearsal(fleet, { folder, speed });
  try {
    const world = rehearsal.world(stop, request.openStream(rehearsal.clock));
    return await applyFleet(
      {
        fleet,
        selection,
        until: "addons",
        acceptDataLoss: [],

        confirm: () => Promise.resolve(true),
      },
      world,
    );
  } finally {
    await rehearsal.close();
    await rm(folder, { recursive: true, force: true });
  }
}
