import type { MachinePower, PastTask } from "../../../clients/proxmox/index.ts";
import { errorData, SlipwayError, type ErrorData } from "../../../errors/index.ts";
import type { Clock } from "../../../lib/index.ts";
import {
  freeCapacityOf,
  type MachineInspection,
  type OwnedMachine,
  type ReadContext,
  type Survey,
} from "../../../plan/index.ts";
import { machineRef, vmidOf } from "../machine/machine-want.ts";
import type { HostRegistry } from "../host-registry.ts";
import {
  guestWentDown,
  haGaveUp,
  machineFrozen,
  machineLocked,
  outOfMemory,
  startFailed,
  stoppedByHand,
  storageRanFull,
  type Stopped,
} from "./inspect-errors.ts";

/** What examining needs of the provider. */
interface InspectionView {
  ctx: ReadContext;
  registry: HostRegistry;
  survey: Survey;
  /** Proxmox dates its tasks by it. */
  wall: Pick<Clock, "now">;
}

/** What Proxmox knows of a machine, read and not yet judged. */
interface Chart {
  machine: OwnedMachine;
  power: MachinePower;
  tasks: PastTask[];
  lock?: string | undefined;
}

/** Why machines stand still, from their tasks, their state under high availability and the room of their hosts. */
export async function inspectMachines(
  known: InspectionView,
  machines: OwnedMachine[],
): Promise<MachineInspection[]> {
  const charts = await Promise.all(machines.map((machine) => readChart(known, machine)));
  const judged = charts.map((chart) => ({ chart, ...judge(known, chart) }));
  return judged.map(({ chart, kind, stoppedBy, evidence, tell }) => {
    const alike = judged.filter((other) => other.kind === kind).map((other) => other.chart.machine);
    const on = [...new Set(alike.map((machine) => machine.on))].join(", ");
    const nodes = alike.map((machine) => machine.node);
    return {
      machine: chart.machine,
      evidence,
      stoppedBy,
      error: tell && tell({ cluster: chart.machine.cluster, nodes, on }, memoryOf(alike)),
    };
  });
}

async function readChart({ ctx, registry }: InspectionView, machine: OwnedMachine): Promise<Chart> {
  const client = await registry.client(machine.host);
  const ref = machineRef(machine);
  const [power, tasks, list] = await Promise.all([
    client.machinePower(ref, ctx.signal),
    // Without the right to audit the node only one's own tasks are shown.
    unlessForbidden([], client.pastTasks(ref, ctx.signal)),
    unlessForbidden([], client.machines(machine.on, ctx.signal)),
  ]);
  const lock = list.find(({ vmid }) => vmid === ref.vmid)?.lock;
  return { machine, power, tasks, lock };
}

interface Judgement {
  /** Machines with the same kind have one cause. */
  kind: string;
  stoppedBy?: string;
  evidence: string;
  /** `wantsMiB`: of all machines that share the cause. */
  tell?: (of: Stopped, wantsMiB: number) => ErrorData;
}

function judge(known: InspectionView, chart: Chart): Judgement {
  return chart.power.isRunning ? judgeRunning(known, chart) : judgeStopped(known, chart);
}

function judgeRunning({ survey }: InspectionView, { machine, power, lock }: Chart): Judgement {
  if (power.condition === "running" || power.condition === "") return { kind: "runs", evidence: "it runs" };
  const full = survey.hosts
    .find(({ host }) => host === machine.host)
    ?.storages.find(({ freeGiB, totalGiB }) => totalGiB > 0 && freeGiB < 1);
  if (power.condition === "io-error")
    return {
      kind: `io-error ${machine.on}`,
      evidence: full ? `io-error; storage ${full.name} is full` : "io-error on one of its disks",
      tell: (of) => errorData(storageRanFull({ ...of, storage: full?.name })),
    };
  return {
    kind: `${power.condition} ${vmidOf(machine)}`,
    evidence: `${power.condition}${lock === undefined ? "" : `, locked: ${lock}`}`,
    tell: (of) => errorData(machineFrozen({ ...of, vmid: vmidOf(machine), condition: power.condition })),
  };
}

const stopping = new Set(["qmstop", "qmshutdown", "hastop", "qmsuspend"]);

function judgeStopped(known: InspectionView, chart: Chart): Judgement {
  const { machine, power, tasks, lock } = chart;
  if (lock !== undefined)
    return {
      kind: `lock ${vmidOf(machine)}`,
      stoppedBy: "a lock",
      evidence: `locked: ${lock}`,
      tell: (of) => errorData(machineLocked({ ...of, vmid: vmidOf(machine), lock })),
    };
  if (/error|fence|recovery/.test(power.haState))
    return {
      kind: `ha ${vmidOf(machine)}`,
      stoppedBy: "HA",
      evidence: `its state under high availability is ${power.haState}`,
      tell: (of) => errorData(haGaveUp({ ...of, vmid: vmidOf(machine), state: power.haState })),
    };
  const [last] = tasks.filter(({ type }) => stopping.has(type) || type === "qmstart" || type === "hastart");
  const memory = shortOfMemory(known, machine);
  if (last && stopping.has(last.type) && last.outcome === "OK") {
    const ago = agoText(known.wall.now() - last.endedAt * 1000);
    return {
      kind: `by ${last.by}`,
      stoppedBy: last.by,
      evidence: `task ${last.type}, ${ago}`,
      tell: (of) => errorData(stoppedByHand({ ...of, by: last.by, ago })),
    };
  }
  if (memory)
    return {
      kind: `memory ${machine.on}`,
      stoppedBy: machine.on,
      evidence: `out of memory, ${gib(memory.used)} of ${gib(memory.total)} GiB in use`,
      tell: (of, wantsMiB) =>
        errorData(
          outOfMemory({
            ...of,
            ...memory,
            missingMiB: wantsMiB - (memory.total - memory.used),
            room: freeCapacityElsewhere(known, machine),
          }),
        ),
    };
  if (last && last.type.endsWith("start") && last.outcome !== "OK")
    return {
      kind: `start ${machine.on} ${last.outcome}`,
      stoppedBy: "its start",
      evidence: last.outcome,
      tell: (of) => errorData(startFailed({ ...of, why: last.outcome })),
    };
  return {
    kind: "guest",
    stoppedBy: "its system",
    evidence: "no task stopped it, and its host has memory left",
    tell: (of) => errorData(guestWentDown(of)),
  };
}

/** Less than the machine wants is left: what was killed for lack of memory leaves no task behind. */
function shortOfMemory({ survey }: InspectionView, machine: OwnedMachine) {
  const facts = survey.hosts.find(({ host }) => host === machine.host);
  if (!facts) return undefined;
  const freeMiB = facts.memoryMiB - facts.memoryUsedMiB;
  if (freeMiB >= machine.memoryMiB) return undefined;
  return { used: facts.memoryUsedMiB, total: facts.memoryMiB };
}

const memoryOf = (machines: OwnedMachine[]): number =>
  machines.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);

/** Another host of the file that has the memory. */
function freeCapacityElsewhere({ survey, registry }: InspectionView, machine: OwnedMachine) {
  const capacities = survey.hosts
    .filter(({ host }) => host !== machine.host)
    .map((facts) => ({
      host: facts.host,
      freeMiB: freeCapacityOf(registry.host(facts.host), facts).memoryMiB,
    }))
    .toSorted((a, b) => b.freeMiB - a.freeMiB);
  return capacities.find(({ freeMiB }) => freeMiB >= machine.memoryMiB);
}

const gib = (mib: number): string => (mib / 1024).toFixed(1);

function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 120) return `${minutes}m ago`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 1440)}d ago`;
}

async function unlessForbidden<T>(otherwise: T, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_FORBIDDEN") return otherwise;
    throw thrown;
  }
}
