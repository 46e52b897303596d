import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { benchDatacenter, benchFile } from "./bench-fleet.ts";
import { plannedSteps, runMeasured, type Usage } from "./run-measured.ts";
import { program, startSim } from "./sim-process.ts";

export interface PlanFigures extends Usage {
  nodes: number;
  steps: number;
}

const secret = "00000000-0000-4000-8000-00000000be7c";

/** `slipway plan` of a large cluster that does not exist yet: the whole program, from start to exit. */
export async function measurePlan(nodes: number, net: string): Promise<PlanFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-bench-"));
  const datacenter = path.join(folder, "datacenter.yaml");
  await writeFile(datacenter, benchDatacenter(benchFile(nodes, net, 8006, "").hosts, secret, "none"));
  const sim = await startSim(datacenter, `${net}.255.1:8006`, 1);
  try {
    const file = path.join(folder, "slipway.yaml");
    await writeFile(file, benchFile(nodes, net, 8006, sim.fingerprint).yaml);
    const { out, ...used } = await runMeasured([program, "plan", "-f", file, "--json"], {
      PVE_TOKEN: secret,
    });
    return { nodes, steps: plannedSteps(out), ...used };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
