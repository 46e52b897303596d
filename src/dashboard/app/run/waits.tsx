import type { JSX } from "preact";
import {
  formatDuration,
  formatElapsed,
  formatNumber,
  type RunState,
  type StepState,
} from "../../../views/index.ts";
import { Icon } from "../parts/icon.tsx";

const mostShown = 3;

/** What the run is waiting for: what it saw last, how long it may take, and how long it usually does. */
export function Waits({ state, nowMs }: { state: RunState; nowMs: number }): JSX.Element | null {
  if (state.done) return null;
  const waits = [...state.steps.values()]
    .filter((step) => step.status === "waiting" && step.wait)
    .toSorted((a, b) => (a.wait?.beganMs ?? 0) - (b.wait?.beganMs ?? 0));
  if (waits.length === 0) return null;
  const more = waits.length - mostShown;
  return (
    <section class="panel ahead">
      <header>
        <h2 class="quiet">Waiting now</h2>
      </header>
      {waits.slice(0, mostShown).map((step) => (
        <Wait key={step.planned.id} step={step} nowMs={nowMs} />
      ))}
      {more > 0 && <p class="note">and {formatNumber(more, "more wait")}, younger than these</p>}
    </section>
  );
}

function Wait({ step, nowMs }: { step: StepState; nowMs: number }): JSX.Element | null {
  const { wait, subject } = step;
  if (!wait) return null;
  const agoMs = Math.max(0, nowMs - wait.seenMs);
  const sinceMs = Math.max(0, nowMs - wait.beganMs);
  const share = wait.deadlineMs > 0 ? Math.min(100, (sinceMs / wait.deadlineMs) * 100) : 0;
  const usual = wait.usualMs === undefined ? "" : `. Usual: ${formatElapsed(wait.usualMs)}`;
  return (
    <div class="wait body">
      <h3>
        <Icon shape="wait" />
        <span>{upperFirst(wait.what)}</span>
      </h3>
      <dl class="kv">
        <dt>For</dt>
        <dd>{[subject.label, subject.host].filter((part) => part !== undefined).join(" on ")}</dd>
        {wait.lastSeen !== undefined && (
          <>
            <dt>Seen</dt>
            <dd>
              {wait.lastSeen}
              <span class="mute num">, {agoMs < 1000 ? "now" : `${formatDuration(agoMs)} ago`}</span>
            </dd>
          </>
        )}
        {wait.cause !== undefined && (
          <>
            <dt>Cause</dt>
            <dd>{wait.cause}</dd>
          </>
        )}
      </dl>
      <div class="deadline">
        <div class="meter warn" aria-hidden="true">
          <i style={{ width: `${share.toFixed(1)}%` }} />
        </div>
        <span class="num">
          {formatElapsed(sinceMs)} of {formatElapsed(wait.deadlineMs)}
          {usual}
        </span>
      </div>
    </div>
  );
}

const upperFirst = (text: string): string =>
  /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
