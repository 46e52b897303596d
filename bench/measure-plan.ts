import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { benchDatacenter, benchFile } from "./bench-fleet.ts";
import { program, startSim } from "./sim-process.ts";

export interface PlanFigures {
  nodes: number;
  steps: number;
  tookMs: number;
  peakMiB: number;
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
    const usage = path.join(import.meta.dirname, "report-usage.mjs");
    const child = spawn(process.execPath, ["--import", usage, program, "plan", "-f", file, "--json"], {
      env: { ...process.env, PVE_TOKEN: secret },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    if (code !== 0) throw new Error(`plan exited with ${code}: ${err}`);
    const planned = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "{}") as { steps: unknown[] };
    const used = JSON.parse(err.trimEnd().split("\n").at(-1) ?? "{}") as { tookMs: number; peakMiB: number };
    return { nodes, steps: planned.steps.length, ...used };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
