import { realisticLatencies } from "../src/sim/index.ts";
import { libvirtSocket, withoutLibvirt } from "../test/support/libvirt/libvirtd.ts";
import { howToGetTerraform } from "../test/support/programs/terraform.ts";
import { counted, measured, timed, type Figure } from "./figures.ts";
import { measureFleet } from "./fleet/index.ts";
import { floorMs } from "./floor.ts";
import { measureBackup } from "./measure-backup.ts";
import { measureFifty } from "./measure-fifty.ts";
import { measureLibvirt } from "./measure-libvirt.ts";
import { measurePlan } from "./measure-plan.ts";
import { measureRollout, measureRolloutPlan } from "./measure-rollout.ts";
import { measureStart } from "./measure-start.ts";
import { measureUp, type PathStep } from "./measure-up.ts";
import { measureWork } from "./measure-work.ts";

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
const exactly = (ms: number): string => `${(ms / 1000).toFixed(3)}s`;
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)}s`;
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;
const row = (cells: string[], widths: number[]): string =>
  cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" ");

/** Each measures, prints its table and gives its figures; `--only NAME` runs one of them. */
export const parts: Record<string, () => Promise<Figure[]>> = {
  start,
  plan,
  overhead,
  work,
  rollout,
  fifty,
  libvirt,
  backup,
  fleet: measureFleet,
};

const backupLimits = { memoryMiB: 80, times: 1.25 };

/** Held against the age program in the same minute: this machine may have other things to do. */
async function backup(): Promise<Figure[]> {
  const { mib, seconds: took, ageSeconds, memoryMiB } = await measureBackup();
  const times = ageSeconds === undefined ? undefined : took / ageSeconds;
  const beside =
    times === undefined
      ? "age is not installed"
      : `${times.toFixed(2)} times "age | cat" (limit ${backupLimits.times})`;
  print(
    `backup  ${mib} MiB in ${took.toFixed(1)} s, ${beside}; ${memoryMiB.toFixed(0)} MiB over idle (limit ${backupLimits.memoryMiB})\n`,
  );
  return [
    { name: "backup/memory", value: memoryMiB, unit: "MiB", limit: backupLimits.memoryMiB, noise: measured },
    ...(times === undefined
      ? []
      : [{ name: "backup/age", value: times, unit: "x" as const, limit: backupLimits.times, noise: timed }]),
  ];
}

const startLimits = { version: 20, validate: 120 };

async function start(): Promise<Figure[]> {
  const { bareMs, versionMs, validateMs } = await measureStart();
  print(
    `start   CPU: bare node ${bareMs.toFixed(0)} ms; --version ${versionMs.toFixed(0)} ms over it (limit ${startLimits.version}), validate ${validateMs.toFixed(0)} ms over it (limit ${startLimits.validate})\n`,
  );
  return [
    { name: "start/version", value: versionMs, unit: "ms", limit: startLimits.version, noise: timed },
    { name: "start/validate", value: validateMs, unit: "ms", limit: startLimits.validate, noise: measured },
  ];
}

/** A plan must not grow faster than what it plans. */
const planSizes = [125, 500, 1_000, 2_000, 10_000];
const planLimitMs = 1_500;

async function plan(): Promise<Figure[]> {
  const widths = [7, 7, 8, 8, 14];
  print(row(["nodes", "steps", "plan", "CPU", "CPU per node", "peak"], widths));
  const figures: Figure[] = [];
  for (const [index, nodes] of planSizes.entries()) {
    const { steps, tookMs, cpuMs, peakMiB } = await measurePlan(nodes, `127.${70 + index}`);
    const cells = [String(nodes), String(steps), seconds(tookMs), seconds(cpuMs)];
    print(row([...cells, `${(cpuMs / nodes).toFixed(2)} ms`, `${peakMiB.toFixed(0)} MiB`], widths));
    const limit = nodes === 1_000 ? { limit: planLimitMs } : {};
    figures.push(
      { name: `plan/${nodes}/time`, value: tookMs, unit: "ms", noise: timed },
      { name: `plan/${nodes}/cpu`, value: cpuMs, unit: "ms", noise: measured, ...limit },
      { name: `plan/${nodes}/peak`, value: peakMiB, unit: "MiB", noise: measured },
    );
  }
  print("");
  return figures;
}

const upSizes = [3, 30, 300];
const overLimit = 2;

async function overhead(): Promise<Figure[]> {
  const widths = [7, 10, 10, 16, 7];
  const floor = floorMs(realisticLatencies);
  print(row(["nodes", "floor", "up", "over the floor", "limit", "down"], widths));
  const figures: Figure[] = [];
  for (const nodes of upSizes) {
    const { upMs, downMs, path } = await measureUp(nodes);
    const over = upMs / floor - 1;
    const times = [exactly(floor), exactly(upMs), percent(over), `${overLimit} %`, exactly(downMs)];
    print(row([String(nodes), ...times], widths));
    for (const line of pathLines(path)) print(`        ${line}`);
    figures.push(
      { name: `up/${nodes}/over-floor`, value: over * 100, unit: "%", limit: overLimit, noise: counted },
      { name: `up/${nodes}/up`, value: upMs / 1000, unit: "s", noise: counted },
      { name: `up/${nodes}/down`, value: downMs / 1000, unit: "s", noise: counted },
    );
  }
  print("");
  return figures;
}

/** Where each second went: the steps that the run waited for, and what these waited for themselves. */
const pathLines = (path: PathStep[]): string[] =>
  path.flatMap(({ step, startMs, endMs, waits }) => [
    `${exactly(startMs).padStart(9)} ${step}, ${exactly(endMs - startMs)}`,
    ...waits.map(({ sinceMs, what }, index) => {
      const untilMs = waits[index + 1]?.sinceMs ?? endMs;
      return `${exactly(sinceMs).padStart(9)}   ${exactly(untilMs - sinceMs).padStart(8)} ${what}`;
    }),
  ]);

const cpuLimitMs = 60;
const callsLimit = 15.5;
const workSizes = [
  { nodes: 10, net: "127.66" },
  { nodes: 300, net: "127.67" },
];

async function work(): Promise<Figure[]> {
  const widths = [7, 18, 18, 13, 13, 16, 18];
  print(
    row(
      [
        "nodes",
        "CPU per node",
        "simulator's",
        "peak",
        "simulator's",
        "Proxmox calls",
        "of them tasks",
        "no change",
      ],
      widths,
    ),
  );
  const figures: Figure[] = [];
  for (const { nodes, net } of workSizes) {
    const { up, simulator, noChange, proxmoxCalls, taskCalls } = await measureWork(nodes, net);
    const each = (sum: number): number => sum / nodes;
    const both = each(up.cpuMs + (simulator?.cpuMs ?? 0));
    print(
      row(
        [
          String(nodes),
          `${each(up.cpuMs).toFixed(1)} ms`,
          simulator ? `${each(simulator.cpuMs).toFixed(1)} ms` : "not told",
          `${up.peakMiB.toFixed(0)} MiB`,
          simulator ? `${simulator.peakMiB.toFixed(0)} MiB` : "not told",
          `${each(proxmoxCalls).toFixed(1)} each`,
          `${each(taskCalls).toFixed(1)} each`,
          `plan ${seconds(noChange.tookMs)}, CPU ${seconds(noChange.cpuMs)}`,
        ],
        widths,
      ),
    );
    const calls = nodes === 10 ? { limit: callsLimit } : {};
    const cpu = nodes === 300 ? { limit: cpuLimitMs } : {};
    figures.push(
      { name: `work/${nodes}/cpu-per-node`, value: each(up.cpuMs), unit: "ms", noise: measured, ...cpu },
      { name: `work/${nodes}/peak`, value: up.peakMiB, unit: "MiB", noise: measured },
      {
        name: `work/${nodes}/calls-per-machine`,
        value: each(proxmoxCalls),
        unit: "calls",
        noise: counted,
        ...calls,
      },
      { name: `work/${nodes}/no-change-plan`, value: noChange.cpuMs, unit: "ms", noise: measured },
    );
    if (!simulator) continue;
    figures.push(
      { name: `work/${nodes}/cpu-per-node-with-simulator`, value: both, unit: "ms", noise: measured },
      { name: `work/${nodes}/simulator-peak`, value: simulator.peakMiB, unit: "MiB", noise: measured },
    );
  }
  print("");
  return figures;
}

const rolloutLimits = { over: 5, planMs: 2_000 };

async function rollout(): Promise<Figure[]> {
  const { workers, atOnce, tookMs, floorMs: floor } = await measureRollout(100);
  const over = tookMs / floor - 1;
  print(
    `roll-out of ${workers} workers, ${atOnce} at a time: floor ${exactly(floor)}, took ${exactly(tookMs)}, ${percent(over)} over it (limit ${rolloutLimits.over} %)`,
  );
  const planned = await measureRolloutPlan(1_000, "127.68");
  print(
    `        its plan on ${planned.nodes} nodes that run: ${seconds(planned.tookMs)}, CPU ${seconds(planned.cpuMs)} (limit ${seconds(rolloutLimits.planMs)})\n`,
  );
  return [
    {
      ...{ name: `rollout/${workers}/over-floor`, value: over * 100, unit: "%" as const },
      ...{ limit: rolloutLimits.over, noise: counted },
    },
    { name: `rollout/${workers}/time`, value: tookMs / 1000, unit: "s", noise: counted },
    {
      ...{ name: `rollout/${planned.nodes}/plan-cpu`, value: planned.cpuMs, unit: "ms" as const },
      ...{ limit: rolloutLimits.planMs, noise: measured },
    },
  ];
}

async function fifty(): Promise<Figure[]> {
  const { machines, floorMs: floor, upMs, downMs, failedTasks, terraform } = await measureFifty();
  print(
    `${machines} machines on three hosts, whose locks make the floor ${seconds(floor)}: up ${seconds(upMs)}, ${percent(upMs / floor - 1)} over it (limit 10 %); down ${seconds(downMs)}; ${failedTasks} failed tasks`,
  );
  for (const other of terraform) {
    const times = `up ${seconds(other.upMs)} (${(other.upMs / upMs).toFixed(1)}x ours), down ${seconds(other.downMs)} (${(other.downMs / downMs).toFixed(1)}x)`;
    print(
      `        Terraform and bpg, ${other.parallelism} at once: ${times}; ${other.failedTasks} failed tasks`,
    );
  }
  if (terraform.length === 0) print(`        Terraform is not measured: ${howToGetTerraform}`);
  return [
    { name: "fifty/over-floor", value: (upMs / floor - 1) * 100, unit: "%", limit: 10, noise: timed },
    { name: "fifty/down", value: downMs / 1000, unit: "s", noise: counted },
    { name: "fifty/failed-tasks", value: failedTasks, unit: "calls", limit: 0, noise: 0 },
    ...terraform.flatMap((other): Figure[] => [
      {
        name: `fifty/up-by-terraform-${other.parallelism}`,
        value: upMs / other.upMs,
        unit: "x",
        noise: measured,
      },
      {
        name: `fifty/down-by-terraform-${other.parallelism}`,
        value: downMs / other.downMs,
        unit: "x",
        noise: measured,
      },
    ]),
  ];
}

async function libvirt(): Promise<Figure[]> {
  if (libvirtSocket === undefined) {
    print(`\nlibvirt is not measured: ${withoutLibvirt}`);
    return [];
  }
  const { call, machines, upload } = await measureLibvirt();
  print(`\nlibvirt on a real daemon, against virsh
  a question  ${call.ourMs.toFixed(2)} ms, virsh ${call.virshMs.toFixed(1)} ms: ${(call.virshMs / call.ourMs).toFixed(0)}x (limit 20x)
  ${machines.count} machines defined, started, stopped, removed: ${seconds(machines.ourMs)}, virsh ${seconds(machines.virshMs)}: ${(machines.virshMs / machines.ourMs).toFixed(1)}x
  ${upload.megabytes} MB uploaded: ${seconds(upload.ourMs)}, virsh ${seconds(upload.virshMs)}: ${(upload.ourMs / upload.virshMs).toFixed(2)} of its time (limit 1.3)`);
  return [
    {
      name: "libvirt/call-by-virsh",
      value: call.ourMs / call.virshMs,
      unit: "x",
      limit: 1 / 20,
      noise: timed,
    },
    { name: "libvirt/machines-by-virsh", value: machines.ourMs / machines.virshMs, unit: "x", noise: timed },
    {
      name: "libvirt/upload-by-virsh",
      value: upload.ourMs / upload.virshMs,
      unit: "x",
      limit: 1.3,
      noise: timed,
    },
  ];
}
