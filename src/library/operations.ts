import {
  upFleet,
  downFleet,
  fleetStatus,
  planFile,
  previewFleet,
  verifyFleet,
  type CheckResult,
  type ClusterStatus,
  type RunReport,
  type PlanFile,
  type Removal,
  type Selection,
} from "../operations/index.ts";
import type { ErrorData } from "../errors/index.ts";
import {
  planEvent,
  type Finding,
  type Plan,
  type PlannedStep,
  type RunEvent,
  type Stage,
} from "../plan/index.ts";
import type { Fleet as Model } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { inWorld, openRehearsal, type Outside } from "./enter-world.ts";
import type { Fleet } from "./fleet.ts";

export interface PlanOptions extends Outside {
  /** One cluster, or one node of it; left out: everything. */
  selection?: Selection;
  /** How far to go; left out: to the add-ons. */
  until?: Stage;
  /** Ids of steps that may lose data. */
  acceptDataLoss?: string[];
  /** Machines get a snapshot before they are changed. */
  snapshot?: boolean;
  /** A storage of the hosts on which whole machines are backed up before they are interrupted or removed. */
  backupMachines?: string;
}

/** One named question about the world, and what was found. */
export interface CheckReport extends Finding {
  /** Permanent, e.g. `proxmox-storage`. */
  id: string;
  /** A statement that is true when it passes: `Storage holds images`. */
  title: string;
  host?: string | undefined;
  node?: string | undefined;
}

/** What would be done, and whether it can work. */
export interface PlanReport {
  checks: CheckReport[];
  /** Plain data, to be kept, read, and handed to `up`. Absent when a check failed on what a plan would be made from. */
  plan?: PlanFile;
}

export interface UpOptions extends PlanOptions {
  /** Nothing that it does not hold is done. What was asked for when it was made counts, not the options here. */
  approved?: PlanFile;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm?(report: Required<PlanReport>): boolean | Promise<boolean>;
}

export interface VerifyOptions extends Outside {
  /** Names of clusters; none means all. */
  clusters?: string[];
  /** Tries the network and the storage with pods of its own, and removes them. Left out: it only looks. */
  probes?: { image?: string; waitMs: number };
}

export interface DownOptions extends Outside {
  /** What shall go. `{}` is everything. */
  selection: Selection;
  /** Data disks go too. */
  isDataLossAccepted?: boolean;
  /** Asked before anything is removed; false ends the run with nothing done. */
  confirm?(report: RemovalReport): boolean | Promise<boolean>;
}

/** What taking clusters away would do. */
export interface RemovalReport {
  clusters: string[];
  steps: PlannedStep[];
  /** Data disks that are there afterwards. */
  keptDisks: number;
}

export interface StatusOptions extends Outside {
  selection?: Selection;
}

/** Compares the file with reality and asks whether the difference can be made. Changes nothing. */
export const plan = (fleet: Fleet, options: PlanOptions = {}): Promise<PlanReport> =>
  inWorld(fleet, options, async (inside, world) => {
    const request = planRequest(inside, options);
    const { checks, plan: found } = await previewFleet(request, world);
    return { checks: checks.map(checkReport), ...(found && { plan: keptPlan(request, found, world) }) };
  });

/** Makes the clusters of the file real. Safe to run again: finished work is found and kept. */
export const up = (fleet: Fleet, options: UpOptions = {}): Promise<RunReport> =>
  reported(fleet, options, (inside, world) => {
    const { approved, confirm } = options;
    const request = { ...planRequest(inside, options), ...approved?.request };
    return upFleet(
      {
        ...request,
        approved,
        confirm: async ({ checks, plan: found }) =>
          (await confirm?.({ checks: checks.map(checkReport), plan: keptPlan(request, found, world) })) ??
          true,
      },
      world,
    );
  });

/** The checklist of a healthy cluster; each check is told as an event. Nothing stays behind. */
export const verify = (fleet: Fleet, options: VerifyOptions = {}): Promise<RunReport> =>
  reported(fleet, options, (inside, world) => {
    const { clusters = [], probes } = options;
    return verifyFleet({ fleet: inside, clusters, probes }, world);
  });

/** Takes clusters away: everything on the hosts that carries their mark, and nothing else. */
export const down = (fleet: Fleet, options: DownOptions): Promise<RunReport> =>
  reported(fleet, options, (inside, world) => {
    const { selection, isDataLossAccepted = false, confirm } = options;
    return downFleet(
      {
        ...{ fleet: inside, selection, isDataLossAccepted },
        confirm: async (removal) => (await confirm?.(removalReport(removal))) ?? true,
      },
      world,
    );
  });

/** What is there, as hypervisor, nodes and Kubernetes tell it right now. */
export const status = (fleet: Fleet, options: StatusOptions = {}): Promise<ClusterStatus[]> =>
  inWorld(fleet, options, (inside, world) =>
    fleetStatus({ fleet: inside, selection: options.selection ?? {} }, world),
  );

/** `up` in a simulated datacenter that is gone afterwards. Nothing real is touched. */
export async function rehearse(fleet: Fleet, options: UpOptions = {}): Promise<RunReport> {
  await using rehearsal = await openRehearsal(fleet);
  return await up(fleet, { ...options, rehearsal });
}

/** A run tells its failures as events; a program that listens to none finds the first of them in the report. */
async function reported(
  fleet: Fleet,
  outside: Outside,
  work: (fleet: Model, world: World) => Promise<RunReport>,
): Promise<RunReport> {
  let first: ErrorData | undefined;
  const tell = (event: RunEvent) => {
    first ??= failureIn(event);
    outside.tell?.(event);
  };
  const report = await inWorld(fleet, { ...outside, tell }, work);
  return report.outcome === "failed" ? { ...report, error: report.error ?? first } : report;
}

const failureIn = (event: RunEvent): ErrorData | undefined =>
  event.type === "failed" || (event.type === "check" && event.status === "failed") ? event.error : undefined;

const planRequest = (
  fleet: Model,
  { selection, until, acceptDataLoss, snapshot, backupMachines }: PlanOptions,
) => ({
  fleet,
  selection: selection ?? {},
  until: until ?? ("addons" as const),
  acceptDataLoss: acceptDataLoss ?? [],
  isSnapshotted: snapshot ?? false,
  backupStorage: backupMachines,
});

const keptPlan = (request: ReturnType<typeof planRequest>, found: Plan, world: World): PlanFile =>
  world.redaction.redact(
    planFile(request, found, { slipway: world.slipway, madeAt: new Date(world.wall.now()).toISOString() }),
  );

const checkReport = ({ check: { id, title, host, node }, ...finding }: CheckResult): CheckReport => ({
  ...{ id, title, ...finding },
  host,
  node,
});

const removalReport = ({ removing, plan: found, keptDisks }: Removal): RemovalReport => ({
  clusters: removing.names,
  steps: planEvent(found).steps,
  keptDisks,
});
