import type { RunEvent } from "../../plan/index.ts";
import { addStep, refreshSubject, stepWithoutPlan } from "./add-step.ts";
import type { Progress, RunState, StepState, StepStatus, Told, WaitState } from "./run-state.ts";

/** Takes one event in. Returns the step it was about, if any. */
export function takeEvent(state: RunState, event: RunEvent): StepState | undefined {
  switch (event.type) {
    case "run":
      state.run = event;
      return undefined;
    case "plan":
      state.plan = event;
      for (const planned of event.steps) addStep(state, planned);
      return undefined;
    case "check":
      takeCheck(state, event);
      return undefined;
    case "stopping":
      state.stopping = event;
      return undefined;
    case "done":
      state.done = event;
      return undefined;
    case "queued":
    case "started":
    case "progress":
    case "waiting":
    case "retried":
    case "finished":
    case "failed":
    case "skipped":
      return takeStepEvent(state, event);
    case "log":
    case "problem":
      return undefined;
    // Readers ignore types they do not know.
    default:
      return undefined;
  }
}

type StepEvent = Told<
  "queued" | "started" | "progress" | "waiting" | "retried" | "finished" | "failed" | "skipped"
>;

function takeStepEvent(state: RunState, event: StepEvent): StepState {
  const step = state.steps.get(event.step) ?? addStep(state, stepWithoutPlan(event.step));
  switch (event.type) {
    case "queued":
      step.queue = { lock: event.lock, behind: event.behind };
      step.behind.push(event.behind);
      setStatus(state, step, "queued");
      break;
    case "started":
      begin(step, event.ms);
      setStatus(state, step, "running");
      break;
    case "progress":
      begin(step, event.ms);
      step.progress = nextProgress(step.progress, event);
      setStatus(state, step, "running");
      break;
    case "waiting":
      begin(step, event.ms);
      step.wait = waitOf(event);
      setStatus(state, step, "waiting");
      break;
    case "retried":
      step.retry = { attempt: event.attempt, because: event.because };
      setStatus(state, step, "running");
      break;
    case "finished":
      if (step.startedMs === undefined) begin(step, Math.max(0, event.ms - event.tookMs));
      step.waitedMs = event.waitedMs;
      step.queuedMs = event.queuedMs;
      if (event.out) step.out = event.out;
      end(state, step, event.ms, "done");
      break;
    case "failed":
      step.error = event.error;
      state.failures.push(event);
      end(state, step, event.ms, "failed");
      break;
    case "skipped":
      step.because = event.because;
      if (event.why !== undefined) step.held = event.why;
      end(state, step, event.ms, "skipped");
      break;
  }
  return step;
}

function takeCheck(state: RunState, event: Told<"check">): void {
  const beganMs = event.ms - event.tookMs;
  const tally = state.checks.get(event.phase);
  if (tally) {
    tally.checks.push(event);
    tally.beganMs = Math.min(tally.beganMs, beganMs);
    tally.endedMs = Math.max(tally.endedMs, event.ms);
  } else {
    state.checks.set(event.phase, { checks: [event], beganMs, endedMs: event.ms });
  }
}

function begin(step: StepState, ms: number): void {
  step.startedMs ??= ms;
  step.subject.startedMs = Math.min(step.subject.startedMs ?? ms, step.startedMs);
  step.subject.group.startedMs = Math.min(step.subject.group.startedMs ?? ms, step.startedMs);
}

function end(state: RunState, step: StepState, ms: number, status: StepStatus): void {
  step.endedMs = ms;
  step.subject.endedMs = Math.max(step.subject.endedMs ?? 0, ms);
  step.subject.group.endedMs = Math.max(step.subject.group.endedMs ?? 0, ms);
  setStatus(state, step, status);
}

function setStatus(state: RunState, step: StepState, status: StepStatus): void {
  if (step.status === status) return;
  state.counts[step.status]--;
  state.counts[status]++;
  step.subject.counts[step.status]--;
  step.subject.counts[status]++;
  step.status = status;
  refreshSubject(step.subject);
}

function nextProgress(before: Progress | undefined, event: Told<"progress">): Progress {
  const { done, total, unit, ms } = event;
  const tookMs = before ? ms - before.atMs : 0;
  const lately = before && tookMs > 0 ? (Math.max(0, done - before.done) * 1000) / tookMs : 0;
  const perSecond =
    before === undefined || before.perSecond === 0 ? lately : before.perSecond * 0.7 + lately * 0.3;
  return { done, total, unit, atMs: ms, perSecond };
}

const waitOf = (event: Told<"waiting">): WaitState => ({
  what: event.what,
  deadlineMs: event.deadlineMs,
  beganMs: event.ms - event.sinceMs,
  seenMs: event.ms,
  usualMs: event.usualMs,
  lastSeen: event.lastSeen,
  cause: event.cause,
});
