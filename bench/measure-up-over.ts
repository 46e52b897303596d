import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Dial } from "../src/lib/index.ts";
import { upFleet } from "../src/operations/index.ts";
import { benchDatacenter, benchFile } from "./bench-fleet.ts";
import { benchWorld, mustBeDone, readFleet, secret } from "./measure-up.ts";
import { startSim } from "./sim-process.ts";

/** What an `up` takes over connections of somebody's own making, to a datacenter in a process of its own. */
export async function measureUpOver(
  dial: Dial,
  { nodes, speed, net }: { nodes: number; speed: number; net: string },
): Promise<{ upMs: number }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-bench-"));
  const datacenter = path.join(folder, "datacenter.yaml");
  await writeFile(datacenter, benchDatacenter(benchFile(nodes, net, 8006, "").hosts, secret, "realistic"));
  const sim = await startSim(datacenter, `${net}.255.1:8006`, speed);
  try {
    const fleet = readFleet(benchFile(nodes, net, 8006, sim.fingerprint).yaml);
    const confirm = () => Promise.resolve(true);
    const up = await upFleet(
      { fleet, selection: {}, until: "addons", acceptDataLoss: [], confirm },
      benchWorld(folder, speed, dial),
    );
    mustBeDone(up);
    return { upMs: up.tookMs };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
