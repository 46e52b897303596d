import type { EventBody, RunEvent, StepId } from "../../plan/index.ts";
import type { Counter, Histogram } from "./registry.ts";

interface RunMetrics {
  planDuration: Histogram;
  runDuration: Histogram;
  stepDuration: Histogram;
  steps: Counter;
  stepRetries: Counter;
  lockWait: Histogram;
}

interface StepUnderWay {
  kind: string;
  action: string;
  cluster: string;
  startedMs?: number;
  retries: number;
  queued?: { lock: string; ms: number };
}

/** A reader of the events of one run. */
export function followRun(metrics: RunMetrics): (event: RunEvent) => void {
  let verb = "";
  let hasPlan = false;
  const steps = new Map<StepId, StepUnderWay>();

  const end = (id: StepId, result: "done" | "failed" | "skipped", ms: number): void => {
    const step = steps.get(id);
    if (!step) return;
    const { kind, action, startedMs, retries } = step;
    metrics.steps.add([kind, result]);
    if (retries > 0) metrics.stepRetries.add([kind, result], retries);
    if (startedMs !== undefined)
      metrics.stepDuration.observe([kind, action, result], seconds(ms - startedMs));
  };

  return (event) => {
    const step = "step" in event && event.step !== undefined ? steps.get(event.step) : undefined;
    switch (event.type) {
      case "run":
        verb = event.command;
        return;
      case "plan":
        hasPlan = true;
        for (const { id, kind, action, cluster } of event.steps)
          steps.set(id, { kind, action, cluster, retries: 0 });
        metrics.planDuration.observe([verb, planResult(event)], seconds(event.ms));
        return;
      case "queued":
        if (step) step.queued = { lock: event.lock, ms: event.ms };
        return;
      case "started":
        if (!step) return;
        step.startedMs ??= event.ms;
        if (step.queued) observeLock(step, step.queued, event.ms);
        delete step.queued;
        return;
      case "retried":
        if (step) step.retries += 1;
        return;
      case "finished":
        end(event.step, "done", event.ms);
        return;
      case "failed":
      case "skipped":
        end(event.step, event.type, event.ms);
        return;
      case "done":
        if (!hasPlan) metrics.planDuration.observe([verb, event.outcome], seconds(event.tookMs));
        metrics.runDuration.observe([verb, event.outcome], seconds(event.tookMs));
        return;
      default:
    }
  };

  /** Locks that begin with the cluster's name are not a host's: its nodes restart one after another. */
  function observeLock(
    { kind, cluster }: StepUnderWay,
    { lock, ms }: { lock: string; ms: number },
    now: number,
  ) {
    const [host = ""] = lock.split("/");
    const [backend = ""] = kind.split("/");
    if (host !== cluster) metrics.lockWait.observe([backend, host], seconds(now - ms));
  }
}

const seconds = (ms: number): number => Math.max(0, ms) / 1000;

const planResult = ({ steps, refused }: Extract<EventBody, { type: "plan" }>): string =>
  refused.length > 0 ? "refused" : steps.length > 0 ? "changes" : "unchanged";
