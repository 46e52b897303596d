/** The controller with many clusters, stage by stage: each in a process of its own, together with the hosts it talks to. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { putBetweenMarks } from "../../scripts/between-marks.ts";
import type { FleetSize } from "../../test/support/controller/many-clusters.ts";
import { counted, measured, type Figure } from "../figures.ts";
import { runMeasured } from "../run-measured.ts";
import type { FaultFigures } from "./faults.ts";
import type { LeaderFigures } from "./leaders.ts";
import type { PlanAllFigures } from "./plan-all.ts";
import type { RollOutFigures } from "./roll-out.ts";
import type { SoakFigures } from "./soak.ts";
import type { SpreadFigures, StormFigures } from "./storm.ts";

const root = path.resolve(import.meta.dirname, "../..");
const limits = { planSeconds: 60, planMiB: 1_024, stormSeconds: 600, takeoverSeconds: 20 };

type Row = [what: string, size: string, found: string, asked: string];

async function stage<T>(name: string, size: FleetSize, hours = 0): Promise<T & { peakMiB: number }> {
  const file = path.join(import.meta.dirname, "run-stage.ts");
  const args = ["--expose-gc", "--import", "tsx", file, name, JSON.stringify(size), String(hours)];
  const { out, peakMiB } = await runMeasured(args);
  return { ...(JSON.parse(out) as T), peakMiB };
}

const sized = (clusters: number, nodes: number, groups: number, hosts: number): FleetSize => ({
  clusters,
  nodes,
  groups,
  hosts,
});
const textOf = ({ clusters, nodes, groups, hosts }: FleetSize): string =>
  `${clusters} × ${nodes} nodes on ${groups} × ${hosts} hosts`;

/** Prints what it finds, and writes the same into the guide. */
export async function measureFleet(): Promise<Figure[]> {
  const rows: Row[] = [];
  const add = (...row: Row): void => {
    rows.push(row);
    process.stdout.write(`fleet   ${row.join(" · ")}\n`);
  };
  const figures = [...(await plans(add)), ...(await storms(add)), ...(await lives(add))];
  await writeTable(rows);
  return figures;
}

async function plans(add: (...row: Row) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of [
    sized(1, 10, 1, 10),
    sized(10, 10, 1, 10),
    sized(100, 10, 2, 10),
    sized(1_000, 10, 20, 10),
  ]) {
    const { cpuSeconds, peakMiB, hostCalls, steps } = await stage<PlanAllFigures>("planAll", size);
    const isLargest = size.clusters === 1_000;
    add(
      "every cluster is planned once",
      textOf(size),
      `${cpuSeconds.toFixed(1)} s CPU, ${peakMiB.toFixed(0)} MiB, ${hostCalls} calls to hosts, ${steps} steps`,
      isLargest ? `${limits.planSeconds} s, ${limits.planMiB} MiB` : "",
    );
    const name = `fleet/plan/${size.clusters}`;
    figures.push(
      {
        ...{ name: `${name}/cpu`, value: cpuSeconds, unit: "s" as const, noise: measured },
        ...(isLargest && { limit: limits.planSeconds }),
      },
      {
        ...{ name: `${name}/peak`, value: peakMiB, unit: "MiB" as const, noise: measured },
        ...(isLargest && { limit: limits.planMiB }),
      },
      { name: `${name}/calls`, value: hostCalls, unit: "calls", noise: counted },
    );
  }
  return figures;
}

async function storms(add: (...row: Row) => void): Promise<Figure[]> {
  const many = sized(1_000, 10, 20, 10);
  const storm = await stage<StormFigures>("stormOfChanges", many);
  add(
    "all were changed while no controller ran",
    textOf(many),
    `planned after ${storm.convergedSeconds.toFixed(0)} s of simulated time, at most ${storm.mostAtOnce} calls at once to a Proxmox cluster, ${storm.refusals} refused`,
    `${limits.stormSeconds} s, none refused`,
  );
  const well = sized(20, 1, 2, 2);
  const spread = await stage<SpreadFigures>("startAmongWell", well);
  const share = spread.busiestMinuteShare * 100;
  add(
    "a start where all is well",
    textOf(well),
    `${share.toFixed(0)} % of them in the busiest minute, the last after ${spread.lastSeconds.toFixed(0)} s`,
    "spread over 10 minutes",
  );
  return [
    {
      ...{ name: "fleet/storm/converged", value: storm.convergedSeconds, unit: "s" as const },
      ...{ noise: counted, limit: limits.stormSeconds },
    },
    { name: "fleet/storm/refused", value: storm.refusals, unit: "calls", noise: 0, limit: 0 },
  ];
}

async function lives(add: (...row: Row) => void): Promise<Figure[]> {
  const rolled = sized(2, 5, 1, 2);
  const roll = await stage<RollOutFigures>("rollOut", rolled);
  add(
    "a minor version of Talos, ring by ring",
    textOf(rolled),
    `${roll.reboots} reboots, at most ${roll.mostVotersAway} control plane of a cluster and ${roll.mostNodesAway} nodes of a group away at once`,
    "never two control planes",
  );
  const ill = sized(6, 2, 3, 3);
  const faults = await stage<FaultFigures>("faultsContained", ill);
  add(
    "every 20th answer of one group is missing, the management API is away for 30 s, another group loses its quorum",
    textOf(ill),
    `${faults.othersReady} of ${faults.others} others Ready, ${faults.cutOffNamed} of ${faults.cutOff} name their hosts, no cluster bootstrapped more than ${faults.mostBootstraps} time`,
    "others finish",
  );
  const led = sized(4, 2, 1, 2);
  const leaders = await stage<LeaderFigures>("leadersKilled", led);
  add(
    "the leader is cut off every two minutes while clusters are made",
    textOf(led),
    `${leaders.killed} leaders, the next after ${leaders.longestTakeoverSeconds.toFixed(1)} s at most, ${leaders.creations} creations for ${leaders.machines} machines`,
    `${limits.takeoverSeconds} s, nothing twice`,
  );
  const rested = sized(2, 1, 1, 2);
  const soaked = await stage<SoakFigures>("soak", rested, 6);
  add(
    `${soaked.hours} simulated hours in which nothing changes`,
    textOf(rested),
    `${soaked.cpuSeconds.toFixed(1)} s CPU, ${soaked.writes} objects written, RSS from ${soaked.rssMiB.map((mib) => mib.toFixed(0)).join(" to ")} MiB, heap from ${soaked.heapMiB.map((mib) => mib.toFixed(0)).join(" to ")} MiB, open files from ${soaked.files.join(" to ")}`,
    "no writes, RSS 5 % more at most, files constant",
  );
  return [
    {
      ...{ name: "fleet/rollout/voters-away", value: roll.mostVotersAway, unit: "calls" as const },
      ...{ noise: 0, limit: 1 },
    },
    {
      ...{ name: "fleet/leaders/takeover", value: leaders.longestTakeoverSeconds, unit: "s" as const },
      ...{ noise: counted, limit: limits.takeoverSeconds },
    },
  ];
}

async function writeTable(rows: Row[]): Promise<void> {
  const guide = path.join(root, "docs/guides/fleet.md");
  const head = ["| what | clusters | found | asked for |", "|---|---|---|---|"];
  const table = [...head, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
  await writeFile(guide, putBetweenMarks(await readFile(guide, "utf8"), "fleet bench", table));
}
