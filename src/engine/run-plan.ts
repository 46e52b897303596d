import { errorData, type ErrorData } from "../errors/index.ts";
import { given, groupBy, type CallTrace, type Clock } from "../lib/index.ts";
import {
  resourceOf,
  type AnyResource,
  type Change,
  type GraphNode,
  type Plan,
  type StepId,
  type Tell,
} from "../plan/index.ts";
import { LockTable } from "./lock-table.ts";
import { RollingGroups, StepHeld, StepSkipped } from "./rolling-groups.ts";
import { runStep, StepHalted, type StepTimes } from "./run-step.ts";

const usualGraceMs = 8_000;

export interface RunWorld {
  clock: Clock;
  /** Counts the time that steps wait for other machines. */
  calls: CallTrace;
  /** First Ctrl-C: nothing new is started, waits end, work in flight may reach its end. */
  stop: AbortSignal;
  /** Nothing new is started from then on, and what has begun comes to its end, its waits too. */
  halt?: AbortSignal | undefined;
  /** Shared with other runs of this process. Left out: of this run alone. */
  locks?: LockTable | undefined;
  /** How long work in flight may go on after `stop`. Left out: long enough to reach a safe point. */
  graceMs?: number;
  /** Why no node may be touched for this change now, if that is so. Asked between two nodes. */
  closed?(change: Change): string | undefined;
  tell: Tell;
}

/** A step that was carried out, with its place in time. */
export interface FinishedStep extends StepTimes {
  step: StepId;
  after: StepId[];
  startMs: number;
  endMs: number;
  /** What its kind finds worth showing. */
  out?: Record<string, string | number | undefined>;
}

export interface RunResult {
  finished: FinishedStep[];
  failed: { step: StepId; error: ErrorData }[];
  skipped: StepId[];
  /** Steps that were not begun, or not brought to their end, because it was too late for them. */
  held: StepId[];
  /** Steps that were neither finished nor failed when the run was stopped. */
  stopped: StepId[];
}

/** Carries out a plan, as parallel as its edges and the named locks allow. */
export function runPlan(plan: Plan, kinds: Map<string, AnyResource>, world: RunWorld): Promise<RunResult> {
  return new PlanRun(plan, kinds, world).run();
}

class PlanRun {
  private readonly plan: Plan;
  private readonly kinds: Map<string, AnyResource>;
  private readonly world: RunWorld;
  private readonly result: RunResult = { finished: [], failed: [], skipped: [], held: [], stopped: [] };
  private readonly waitsOn = new Map<StepId, Set<StepId>>();
  private readonly dependants = new Map<StepId, Change[]>();
  private readonly controlPlanes: Map<string, Change[]>;
  /** By cluster, what is waited for on workers that were off. */
  private readonly returns: Map<string, Change[]>;
  /** Steps that failed, and those that were skipped with the one that failed before them. */
  private readonly lost = new Map<StepId, StepId>();
  private readonly running = new Set<StepId>();
  private readonly unsettled = new Set<StepId>();
  private readonly locks: LockTable;
  private readonly groups = new RollingGroups();
  private readonly letGo = new AbortController();
  private readonly idle = new AbortController();
  private readonly startedAt: number;
  private settle: () => void = () => {};

  constructor(plan: Plan, kinds: Map<string, AnyResource>, world: RunWorld) {
    this.plan = plan;
    this.kinds = kinds;
    this.world = world;
    this.locks = world.locks ?? new LockTable();
    this.startedAt = world.clock.now();
    const controlPlanes = plan.changes.filter(({ node }) => node.role === "control-plane");
    this.controlPlanes = groupBy(controlPlanes, ({ node }) => rolloutOf(node));
    this.returns = groupBy(returnsOfWorkers(plan), ({ node }) => node.cluster);
    const ids = new Set(plan.changes.map((change) => change.node.id));
    for (const change of plan.changes) {
      const { id, after } = change.node;
      const needs = after.filter((other) => ids.has(other));
      this.unsettled.add(id);
      this.waitsOn.set(id, new Set(needs));
      for (const other of needs) this.dependants.set(other, [...(this.dependants.get(other) ?? []), change]);
    }
  }

  async run(): Promise<RunResult> {
    const onStop = () => this.beginStopping();
    const onHalt = () => this.settleIfIdle();
    const { stop, halt } = this.world;
    stop.addEventListener("abort", onStop, { once: true });
    halt?.addEventListener("abort", onHalt, { once: true });
    try {
      await new Promise<void>((resolve) => {
        this.settle = resolve;
        for (const change of this.plan.changes) this.startIfReady(change);
        this.settleIfIdle();
      });
    } finally {
      stop.removeEventListener("abort", onStop);
      halt?.removeEventListener("abort", onHalt);
      this.idle.abort();
    }
    this.result.stopped = [...this.unsettled];
    return this.result;
  }

  private startIfReady(change: Change): void {
    const { id } = change.node;
    if (this.isEnding() || this.running.has(id) || !this.unsettled.has(id)) return;
    if ((this.waitsOn.get(id)?.size ?? 0) > 0) return;
    this.running.add(id);
    void this.carryOut(change);
  }

  private async carryOut(change: Change): Promise<void> {
    const { id, after } = change.node;
    const { clock, calls, stop, halt, tell } = this.world;
    const resource = resourceOf(this.kinds, change.node);
    const startMs = clock.now() - this.startedAt;
    try {
      const step = await runStep(change, resource, {
        clock,
        calls,
        stop,
        halt,
        tell,
        locks: this.locks,
        groups: this.groups,
        behind: () => this.firstBefore(change),
        closed: () => this.world.closed?.(change),
        signal: this.letGo.signal,
      });
      const { have, ...times } = step;
      const out = have === undefined ? undefined : resource.out?.(have);
      tell({ type: "finished", step: id, ...rounded(times), out: out && given(out) });
      const endMs = clock.now() - this.startedAt;
      this.result.finished.push({ step: id, after, startMs, endMs, ...times, ...given({ out }) });
      this.finish(id);
    } catch (thrown) {
      if (stop.aborted || thrown instanceof StepHalted) return;
      if (thrown instanceof StepSkipped) this.skip(id, thrown.because);
      else if (thrown instanceof StepHeld) this.skip(id, id, thrown.message);
      else this.fail(id, errorData(thrown));
    } finally {
      this.running.delete(id);
      this.settleIfIdle();
    }
  }

  private finish(id: StepId): void {
    this.unsettled.delete(id);
    this.groups.lookAgain();
    for (const change of this.dependants.get(id) ?? []) {
      this.waitsOn.get(change.node.id)?.delete(id);
      this.startIfReady(change);
    }
  }

  private fail(id: StepId, error: ErrorData): void {
    this.unsettled.delete(id);
    this.world.tell({ type: "failed", step: id, error });
    this.result.failed.push({ step: id, error });
    this.lost.set(id, id);
    this.groups.lookAgain();
    this.skipDependants(id, id);
  }

  /** What needs a failed step is skipped with the reason, not failed again. */
  private skipDependants(of: StepId, because: StepId): void {
    for (const { node } of this.dependants.get(of) ?? []) this.skip(node.id, because);
  }

  private skip(id: StepId, because: StepId, why?: string): void {
    if (!this.unsettled.delete(id)) return;
    this.world.tell({ type: "skipped", step: id, because, why });
    this.result.skipped.push(id);
    if (why !== undefined) this.result.held.push(id);
    this.lost.set(id, because);
    this.groups.lookAgain();
    this.skipDependants(id, because);
  }

  /**
   * No worker goes away for a change before all control planes have it, nor before those that were off are back: another one
   * might not start either.
   */
  private firstBefore({ node, returns }: Change): StepId | undefined {
    if (node.role !== "worker") return undefined;
    const later = this.laterThan(node.id);
    const coming = returns ? [] : (this.returns.get(node.cluster) ?? []);
    const others = coming.filter((change) => change.node.node !== node.node);
    const before = [...(this.controlPlanes.get(rolloutOf(node)) ?? []), ...others]
      .map((change) => change.node.id)
      .filter((id) => !later.has(id));
    const [because] = before.flatMap((id) => this.lost.get(id) ?? []);
    if (because !== undefined) throw new StepSkipped(because);
    return before.find((id) => this.unsettled.has(id));
  }

  /** All that waits for this step: a plan may want control planes behind workers. */
  private laterThan(id: StepId, found = new Set<StepId>()): Set<StepId> {
    for (const { node } of this.dependants.get(id) ?? []) {
      if (found.has(node.id)) continue;
      this.laterThan(node.id, found.add(node.id));
    }
    return found;
  }

  private beginStopping(): void {
    const { clock, graceMs = usualGraceMs, tell } = this.world;
    tell({
      type: "stopping",
      signal: String(this.world.stop.reason ?? "SIGINT"),
      running: [...this.running],
      graceMs,
    });
    clock.sleep(graceMs, this.idle.signal).then(
      () => this.letGo.abort(new Error("the run was stopped")),
      () => undefined,
    );
    this.settleIfIdle();
  }

  private settleIfIdle(): void {
    if (this.running.size > 0) return;
    if (this.unsettled.size === 0 || this.isEnding()) this.settle();
  }

  private isEnding(): boolean {
    return this.world.stop.aborted || this.world.halt?.aborted === true;
  }
}

/** What comes back on workers that the plan switches on. One that runs and restarts has its turn with all others. */
function returnsOfWorkers({ changes }: Plan): Change[] {
  const isMild = ({ action, consequence }: Change): boolean => action === "update" && consequence === "hot";
  const mild = new Set(changes.filter(isMild).map(({ node }) => node.id));
  return changes.filter(
    ({ node, returns }) => returns && node.role === "worker" && node.within?.some((id) => mild.has(id)),
  );
}

/** Steps that differ in their node alone bring one change through the nodes of a cluster. */
const rolloutOf = ({ cluster, kind, id }: GraphNode): string =>
  `${cluster} ${kind} ${id.slice(0, Math.max(0, id.lastIndexOf("/")))}`;

const rounded = (times: StepTimes): StepTimes => ({
  tookMs: Math.round(times.tookMs),
  waitedMs: Math.round(times.waitedMs),
  queuedMs: Math.round(times.queuedMs),
});
