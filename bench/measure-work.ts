import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { benchDatacenter, benchFile } from "./bench-fleet.ts";
import { plannedSteps, runMeasured, usageOf, type Usage } from "./run-measured.ts";
import { program, startSim } from "./sim-process.ts";

export interface WorkFigures {
  nodes: number;
  /** `slipway up` from nothing to the last node Ready. */
  up: Usage;
  /** The simulated datacenter meanwhile; undefined where processes cannot be looked at. */
  simulator?: Pick<Usage, "cpuMs" | "peakMiB">;
  /** `slipway plan` of the running cluster, which changes nothing. */
  noChange: Usage;
  /** Of `up` to Proxmox, by its own trace. */
  proxmoxCalls: number;
  /** Those of them that ask about tasks. */
  taskCalls: number;
}

const secret = "00000000-0000-4000-8000-00000000be7c";

/** What the program and the datacenter each need of this machine, in processes of their own and in real time. */
export async function measureWork(nodes: number, net: string): Promise<WorkFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-bench-"));
  const datacenter = path.join(folder, "datacenter.yaml");
  await writeFile(
    datacenter,
    benchDatacenter(benchFile(nodes, net, 8006, "").hosts, secret, "realistic", net),
  );
  const sim = await startSim(datacenter, `${net}.255.1:8006`, 1);
  try {
    const file = path.join(folder, "slipway.yaml");
    await writeFile(file, benchFile(nodes, net, 8006, sim.fingerprint).yaml);
    const env = { PVE_TOKEN: secret };
    const before = await usageOf(sim.pid);
    const { out, ...up } = await runMeasured(
      [program, "up", "-f", file, "--yes", "--json", "--log-level", "debug"],
      env,
    );
    const after = await usageOf(sim.pid);
    const { out: plan, ...noChange } = await runMeasured([program, "plan", "-f", file, "--json"], env);
    const steps = plannedSteps(plan);
    if (steps > 0) throw new Error(`${steps} steps are planned where nothing was to change`);
    const calls = [...out.matchAll(/"call":"proxmox ([^"]*)"/g)].map(([, call = ""]) => call);
    return {
      nodes,
      up,
      noChange,
      proxmoxCalls: calls.length,
      taskCalls: calls.filter((call) => call.includes("/tasks")).length,
      ...(before && after && { simulator: { cpuMs: after.cpuMs - before.cpuMs, peakMiB: after.peakMiB } }),
    };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
