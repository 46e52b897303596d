import type { StepId } from "../../plan/index.ts";
import type { Progress, StepState, WaitState } from "./run-state.ts";
import { formatBytes, formatBytesOf, formatDuration, formatElapsed, lowerFirst } from "../format.ts";

/** `38%   0.5 of 1.3 GiB   44 MiB/s`, as far as it is known. */
export function progressText(progress: Progress): string[] {
  const { done, total, unit, perSecond } = progress;
  const percent = total > 0 ? `${Math.floor((Math.min(done, total) / total) * 100)}%` : "";
  if (unit === "percent") return [percent];
  if (unit === "steps") return [`${done} of ${total}`];
  const rate = perSecond > 0 ? `${formatBytes(perSecond)}/s` : "";
  return [percent, formatBytesOf(done, total), rate].filter((part) => part !== "");
}

/** `192.168.1.100:6443 does not answer yet`. */
export function waitText(wait: WaitState): string {
  const answering = / to answer$/.exec(wait.what);
  return answering ? `${wait.what.slice(0, answering.index)} does not answer yet` : `waits for ${wait.what}`;
}

/** What opens below a wait: what was seen, why, and how long it may take. */
export function waitDetails(wait: WaitState, nowMs: number): { label: string; text: string }[] {
  const details: { label: string; text: string }[] = [];
  if (wait.lastSeen !== undefined) {
    details.push({ label: "seen", text: `${wait.lastSeen}, ${formatDuration(nowMs - wait.seenMs)} ago` });
  }
  if (wait.cause !== undefined) details.push({ label: "cause", text: wait.cause });
  const usual = wait.usualMs === undefined ? "" : `, usually ${formatElapsed(wait.usualMs)}`;
  details.push({ label: "until", text: `${formatElapsed(wait.deadlineMs)}${usual}` });
  return details;
}

/** `behind cp-1 for local-lvm on hydra`. */
export function queueText(queue: { lock: string; behind: StepId }, nameOf: (step: StepId) => string): string {
  return `behind ${nameOf(queue.behind)} for ${lockText(queue.lock)}`;
}

/** Locks are named host first: `hydra/local-lvm`, `hydra/storage/local-lvm`. */
function lockText(lock: string): string {
  const [host, ...rest] = lock.split("/");
  return rest.length === 0 ? lock : `${rest.join(" ")} on ${host ?? ""}`;
}

/** What a running step is doing: its title without the name that already stands before it. */
export function actionText({ planned }: Pick<StepState, "planned">): string {
  const title = planned.title.trim();
  const { label } = planned.face;
  const bare = title.endsWith(` ${label}`) ? title.slice(0, -label.length - 1) : title;
  return lowerFirst(bare.replace(/ (of|on)$/, ""));
}
