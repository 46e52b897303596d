import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openRehearsal, upFleet } from "../src/operations/index.ts";
import { realisticLatencies } from "../src/sim/index.ts";
import { benchDatacenter, benchFile } from "./bench-fleet.ts";
import { mustBeDone, readFleet, secret } from "./measure-up.ts";
import { plannedSteps, runMeasured, type Usage } from "./run-measured.ts";
import { program, startSim } from "./sim-process.ts";

/** In the time of the simulated datacenter, as `UpFigures`. */
export interface RolloutFigures {
  workers: number;
  atOnce: number;
  tookMs: number;
  /** Every batch gone, rebooted and Ready again, one after the other, with nothing in between. */
  floorMs: number;
}

const atOnce = 10;
const anyFingerprint = Array.from({ length: 32 }, () => "BE").join(":");

/** The file of a cluster, before and after a change that its workers reboot for. */
function rolloutFile(nodes: number, net: string, fingerprint: string, isChanged: boolean): string {
  const patch = `, patches: [{ machine: { env: { GRPC_GO_LOG_VERBOSITY_LEVEL: "99" } } }]`;
  return benchFile(nodes, net, 8006, fingerprint)
    .yaml.replace("    workers:", `    rollout: { workers: ${atOnce} }\n    workers:`)
    .replace(", vmid: 3000", isChanged ? `, vmid: 3000${patch}` : ", vmid: 3000");
}

/** Workers reboot into another config, ten at a time, in one process with their datacenter. */
export async function measureRollout(workers: number): Promise<RolloutFigures> {
  const fleetOf = (isChanged: boolean) =>
    readFleet(rolloutFile(workers + 3, "10.61", anyFingerprint, isChanged));
  const rehearsal = await openRehearsal({ fleet: fleetOf(false) });
  const world = rehearsal.world(new AbortController().signal, () => {});
  const run = (isChanged: boolean) =>
    upFleet(
      {
        fleet: fleetOf(isChanged),
        selection: {},
        until: "addons",
        acceptDataLoss: [],
        confirm: () => Promise.resolve(true),
      },
      world,
    );
  try {
    mustBeDone(await run(false));
    const rolled = await run(true);
    mustBeDone(rolled);
    const { leaveMs, rebootMs, registerMs, readyMs } = realisticLatencies;
    const floorMs = Math.ceil(workers / atOnce) * (leaveMs + rebootMs + registerMs + readyMs);
    return { workers, atOnce, tookMs: rolled.tookMs, floorMs };
  } finally {
    await rehearsal.close();
  }
}

/** `slipway plan` of such a change on a cluster that runs: the whole program, every node asked. */
export async function measureRolloutPlan(nodes: number, net: string): Promise<Usage & { nodes: number }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-bench-"));
  const datacenter = path.join(folder, "datacenter.yaml");
  await writeFile(datacenter, benchDatacenter(benchFile(nodes, net, 8006, "").hosts, secret, "none", net));
  const sim = await startSim(datacenter, `${net}.255.1:8006`, 1);
  try {
    const file = path.join(folder, "slipway.yaml");
    const env = { PVE_TOKEN: secret };
    await writeFile(file, rolloutFile(nodes, net, sim.fingerprint, false));
    await runMeasured([program, "up", "-f", file, "--yes", "--json"], env);
    await writeFile(file, rolloutFile(nodes, net, sim.fingerprint, true));
    const { out, ...used } = await runMeasured([program, "plan", "-f", file, "--json"], env);
    const steps = plannedSteps(out);
    if (steps < nodes - 3) throw new Error(`only ${steps} steps are planned`);
    return { nodes, ...used };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
