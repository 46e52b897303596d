import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Clock } from "../lib/index.ts";
import type { Tell } from "../plan/index.ts";
import { isLibvirtHost, isProxmoxHost, type Fleet } from "../spec/index.ts";
import { applyFleet } from "./apply.ts";
import type { Ending } from "./ending.ts";
import { withChartsFromSite } from "./charts-from-site.ts";
import { libvirtNotSimulated } from "./run-errors.ts";
import { selectClusters, type Selection } from "./select.ts";

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
  const { selection, speed, stop } = request;
  const fleet = withChartsFromSite(simulatedPart(request.fleet, selection));
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

/** What of the fleet can be simulated; whoever asks for more is told. */
export function simulatedPart(fleet: Fleet, selection: Selection): Fleet {
  const hosts = fleet.hosts.filter(isProxmoxHost);
  const others = fleet.hosts.filter(isLibvirtHost).map(({ name }) => name);
  for (const { name, on, at } of selectClusters(fleet, selection)) {
    const missing = on.filter((host) => others.includes(host));
    if (missing.length > 0) {
      throw libvirtNotSimulated({ file: fleet.file, cluster: name, hosts: missing, at });
    }
  }
  const clusters = fleet.clusters.filter(({ on }) => on.every((host) => !others.includes(host)));
  return { ...fleet, hosts, clusters };
}
