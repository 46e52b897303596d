// One stage of the simulated fleet in a process of its own: node --import tsx bench/fleet/run-stage.ts NAME SIZE HOURS
import type { FleetSize } from "../../test/support/controller/many-clusters.ts";
import { faultsContained } from "./faults.ts";
import { leadersKilled } from "./leaders.ts";
import { planAll } from "./plan-all.ts";
import { rollOut } from "./roll-out.ts";
import { soak } from "./soak.ts";
import { steady } from "./steady.ts";
import { startAmongWell, stormOfChanges } from "./storm.ts";

const stages: Record<string, (size: FleetSize, hours: number) => Promise<unknown>> = {
  planAll,
  steady,
  stormOfChanges,
  startAmongWell,
  rollOut,
  faultsContained,
  leadersKilled,
  soak,
};

const [name = "", size = "{}", hours = "24"] = process.argv.slice(2);
const stage = stages[name];
if (!stage) throw new Error(`no stage is called ${name}`);
const figures = await stage(JSON.parse(size) as FleetSize, Number(hours));
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
