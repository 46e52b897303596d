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
import type { SteadyFigures } from "./steady.ts";
import type { SpreadFigures, StormFigures } from "./storm.ts";

const root = path.resolve(import.meta.dirname, "../..");
const limits = { planSeconds: 60, planMiB: 1_024, stormSeconds: 600, takeoverSeconds: 20 };
/** Three times what the longest of them takes on a machine that has nothing else to do. */
const longestMs = 15 * 60_000;

type Row = [what: string, size: string, found: string, asked: string];

/** A row of the table, and what of it is kept to be compared. */
interface Stage<T> {
  /** As `run-stage.ts` calls it. */
  name: string;
  what: string;
  size: FleetSize;
  hours?: number;
  asked: string;
  found(figures: T): string;
  figures?(figures: T): Figure[];
}

/** Prints what it finds, and writes the same into the guide, also where a stage has failed. */
export async function measureFleet(): Promise<Figure[]> {
  const rows: Row[] = [];
  const figures: Figure[] = [];
  const take = async <T>(stage: Stage<T & Peak>): Promise<void> => {
    const { name, what, size, hours = 0, asked } = stage;
    const found = await carryOut<T>(name, size, hours);
    const row: Row = [what, sizeText(size), "why" in found ? found.why : stage.found(found), asked];
    rows.push(row);
    process.stdout.write(`fleet   ${row.join(" · ")}\n`);
    if ("why" in found) process.exitCode = 1;
    else figures.push(...(stage.figures?.(found) ?? []));
    await writeTable(rows);
  };
  for (const size of [fleet(1, 10, 1, 10), fleet(10, 10, 1, 10), fleet(100, 10, 2, 10), thousand])
    await take(planStage(size));
  for (const size of [fleet(1, 10, 1, 10), fleet(10, 10, 1, 10), fleet(100, 10, 10, 10)])
    await take(steadyStage(size));
  await take(stormStage(thousand));
  await take(spreadStage(fleet(50, 1, 5, 2)));
  await take(rollOutStage(fleet(20, 5, 2, 4)));
  await take(faultStage(fleet(30, 2, 5, 3)));
  await take(leaderStage(fleet(16, 2, 1, 4)));
  await take(soakStage(fleet(2, 1, 1, 2), 24));
  return figures;
}

interface Peak {
  peakMiB: number;
}

async function carryOut<T>(
  name: string,
  size: FleetSize,
  hours: number,
): Promise<(T & Peak) | { why: string }> {
  const file = path.join(import.meta.dirname, "run-stage.ts");
  const args = ["--expose-gc", "--import", "tsx", file, name, JSON.stringify(size), String(hours)];
  try {
    const { out, peakMiB } = await runMeasured(args, {}, longestMs);
    return { ...(JSON.parse(out) as T), peakMiB };
  } catch (thrown) {
    process.stderr.write(`${String(thrown)}\n`);
    return { why: `has failed, or did not end within ${longestMs / 60_000} minutes` };
  }
}

const fleet = (clusters: number, nodes: number, groups: number, hosts: number): FleetSize => ({
  ...{ clusters, nodes, groups, hosts },
});
const thousand = fleet(1_000, 10, 20, 10);
const sizeText = ({ clusters, nodes, groups, hosts }: FleetSize): string =>
  `${clusters} × ${nodes} nodes on ${groups} × ${hosts} hosts`;

const planStage = (size: FleetSize): Stage<PlanAllFigures & Peak> => ({
  ...{ name: "planAll", what: "every cluster is planned once", size },
  asked: size === thousand ? `${limits.planSeconds} s, ${limits.planMiB} MiB` : "",
  found: ({ cpuSeconds, peakMiB, hostCalls, steps }) =>
    `${cpuSeconds.toFixed(1)} s CPU, ${peakMiB.toFixed(0)} MiB, ${hostCalls} calls to hosts, ${steps} steps`,
  figures: ({ cpuSeconds, peakMiB, hostCalls }) => {
    const limitOf = (limit: number) => (size === thousand ? { limit } : {});
    const name = `fleet/plan/${size.clusters}`;
    return [
      { name: `${name}/cpu`, value: cpuSeconds, unit: "s", noise: measured, ...limitOf(limits.planSeconds) },
      { name: `${name}/peak`, value: peakMiB, unit: "MiB", noise: measured, ...limitOf(limits.planMiB) },
      { name: `${name}/calls`, value: hostCalls, unit: "calls", noise: counted },
    ];
  },
});

const steadyStage = (size: FleetSize): Stage<SteadyFigures & Peak> => ({
  ...{ name: "steady", what: "30 minutes in which all run and nothing changes", size },
  asked: "0.3 of a core for 1000, which are 0.54 s a cluster; no writes",
  found({ cpuSeconds, rssMiB, watchingMiB, connections, calls, writes }) {
    const each = (value: number): number => value / size.clusters;
    const { proxmox = 0, talos = 0, kubernetes = 0 } = calls;
    return [
      `${cpuSeconds.toFixed(1)} s CPU (${each(cpuSeconds).toFixed(2)} s a cluster)`,
      `RSS ${rssMiB.toFixed(0)} MiB`,
      `${each(watchingMiB).toFixed(2)} MiB of heap and ${each(connections).toFixed(1)} connections a cluster because it is watched`,
      `${proxmox} calls to hosts, ${talos} to nodes, ${kubernetes} to clusters`,
      `${writes.length} writes`,
    ].join(", ");
  },
  figures: ({ cpuSeconds, watchingMiB, writes }) => {
    const name = `fleet/steady/${size.clusters}`;
    return [
      { name: `${name}/cpu`, value: cpuSeconds, unit: "s", noise: measured },
      { name: `${name}/heap`, value: watchingMiB, unit: "MiB", noise: measured },
      { name: `${name}/writes`, value: writes.length, unit: "calls", noise: 0, limit: 0 },
    ];
  },
});

const stormStage = (size: FleetSize): Stage<StormFigures & Peak> => ({
  ...{ name: "stormOfChanges", what: "all were changed while no controller ran", size },
  asked: `${limits.stormSeconds} s, none refused`,
  found: ({ convergedSeconds, mostAtOnce, refusals }) =>
    `planned after ${convergedSeconds.toFixed(0)} s of simulated time, at most ${mostAtOnce} calls at once to a Proxmox cluster, ${refusals} refused`,
  figures: ({ convergedSeconds: value, refusals }) => [
    { name: "fleet/storm/converged", value, unit: "s", noise: counted, limit: limits.stormSeconds },
    { name: "fleet/storm/refused", value: refusals, unit: "calls", noise: 0, limit: 0 },
  ],
});

const spreadStage = (size: FleetSize): Stage<SpreadFigures & Peak> => ({
  ...{ name: "startAmongWell", what: "a start where all is well", size },
  asked: "spread over 10 minutes",
  found: ({ busiestMinuteShare, lastSeconds }) =>
    `${(busiestMinuteShare * 100).toFixed(0)} % of them in the busiest minute, the last after ${lastSeconds.toFixed(0)} s`,
});

const rollOutStage = (size: FleetSize): Stage<RollOutFigures & Peak> => ({
  ...{ name: "rollOut", what: "a minor version of Talos, ring by ring", size },
  asked: "never two control planes",
  found: ({ rings, reboots, mostVotersAway, mostNodesAway, tookSeconds }) =>
    `rings of ${rings.join(", ")} clusters, ${reboots} reboots in ${(tookSeconds / 60).toFixed(0)} simulated minutes, at most ${mostVotersAway} control plane of a cluster and ${mostNodesAway} nodes of a group away at once`,
  figures: ({ mostVotersAway: value }) => [
    { name: "fleet/rollout/voters-away", value, unit: "calls", noise: 0, limit: 1 },
  ],
});

const faultStage = (size: FleetSize): Stage<FaultFigures & Peak> => ({
  name: "faultsContained",
  what: "every 20th answer of one group is missing, the management API is away for 30 s, another group loses its quorum",
  size,
  asked: "others finish",
  found: ({ others, othersReady, cutOff, cutOffNamed, mostBootstraps }) =>
    `${othersReady} of ${others} others Ready, ${cutOffNamed} of ${cutOff} name their hosts, no cluster bootstrapped more than ${mostBootstraps} time`,
  figures: ({ others, othersReady, cutOff, cutOffNamed }) => [
    { name: "fleet/faults/not-ready", value: others - othersReady, unit: "calls", noise: 0, limit: 0 },
    { name: "fleet/faults/not-named", value: cutOff - cutOffNamed, unit: "calls", noise: 0, limit: 0 },
  ],
});

const leaderStage = (size: FleetSize): Stage<LeaderFigures & Peak> => ({
  ...{ name: "leadersKilled", what: "the leader is cut off every two minutes while clusters are made", size },
  asked: `${limits.takeoverSeconds} s, nothing twice`,
  found: ({ killed, longestTakeoverSeconds, creations, machines, mostBootstraps }) =>
    `${killed} leaders, the next after ${longestTakeoverSeconds.toFixed(1)} s at most, ${creations} creations for ${machines} machines, no cluster bootstrapped more than ${mostBootstraps} time`,
  figures: ({ longestTakeoverSeconds: value, creations, machines }) => [
    { name: "fleet/leaders/takeover", value, unit: "s", noise: counted, limit: limits.takeoverSeconds },
    { name: "fleet/leaders/twice", value: creations - machines, unit: "calls", noise: 0, limit: 0 },
  ],
});

const soakStage = (size: FleetSize, hours: number): Stage<SoakFigures & Peak> => ({
  ...{ name: "soak", what: `${hours} simulated hours in which nothing changes`, size, hours },
  asked: "no writes, RSS 5 % more at most, files constant",
  found({ cpuSeconds, writes, rssMiB, heapMiB, files, secrets }) {
    const fromTo = (values: number[]): string =>
      `from ${values.map((value) => value.toFixed(0)).join(" to ")}`;
    return `${cpuSeconds.toFixed(1)} s CPU, ${writes} objects written, RSS ${fromTo(rssMiB)} MiB, heap ${fromTo(heapMiB)} MiB, open files ${fromTo(files)}, spellings of secrets kept to be hidden ${fromTo(secrets)}`;
  },
  figures: ({ writes, heapMiB: [early, late], files: [open, openLate] }) => [
    { name: "fleet/soak/writes", value: writes, unit: "calls", noise: 0, limit: 0 },
    { name: "fleet/soak/heap", value: 100 * (late / early), unit: "%", noise: measured },
    { name: "fleet/soak/files", value: 100 * (openLate / open), unit: "%", noise: measured },
  ],
});

async function writeTable(rows: Row[]): Promise<void> {
  const guide = path.join(root, "docs/guides/fleet.md");
  const head = ["| what | clusters | found | asked for |", "|---|---|---|---|"];
  const table = [...head, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
  await writeFile(guide, putBetweenMarks(await readFile(guide, "utf8"), "fleet bench", table));
}
