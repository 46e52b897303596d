import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunState } from "../../../views/index.ts";
import { errorsOf, resultText } from "../../../views/index.ts";
import { isGoingOn, runClock, useRun, type ShownRun } from "../data/use-run.ts";
import { writeRoute } from "../data/route.ts";
import { useStore } from "../data/store.ts";
import { Command } from "../parts/command.tsx";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { clockText } from "../parts/time.ts";
import { LogLines } from "../log/log-lines.tsx";
import { Gantt } from "./gantt.tsx";
import { Kpis } from "./kpis.tsx";
import { timelineOf, type Timeline } from "./lanes.ts";
import { PathCard } from "./path-card.tsx";
import { TimelineTable } from "./timeline-table.tsx";
import { Tree } from "./tree.tsx";
import { Waits } from "./waits.tsx";

/** How far, what it is waiting for, and why it is slow. */
export function RunScreen({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const shown = useRun(cluster);
  if (!shown) return <NoRun cluster={cluster} isKnown={store.runs.value !== undefined} />;
  if (shown.feed.events.length === 0) {
    return (
      <div class="panel empty">
        {shown.feed.link.value === "lost" ? "The connection is lost." : "Reading the run…"}
      </div>
    );
  }
  return <OneRun cluster={cluster} shown={shown} />;
}

function OneRun({ cluster, shown }: { cluster: string; shown: ShownRun }): JSX.Element {
  const store = useStore();
  const [openHosts, setOpenHosts] = useState<ReadonlySet<string>>(new Set());
  const nowMs = runClock(store, shown);
  const { state, events } = shown.feed;
  const timeline = timelineOf(state, nowMs, openHosts);
  const isOver = !isGoingOn(shown);
  const fold = (key: string): void =>
    setOpenHosts(
      (open) => new Set(open.has(key) ? [...open].filter((each) => each !== key) : [...open, key]),
    );
  const latest = events.slice(-6).toReversed();
  return (
    <>
      {shown.isOld && <OldRun cluster={cluster} />}
      <Problems state={state} isCut={isOver && state.done === undefined} />
      <Kpis state={state} nowMs={nowMs} isOver={isOver} run={shown.summary?.run} />
      <div class="cols">
        <div class="stack">
          <TimelinePanel {...{ cluster, state, timeline, nowMs, isOver }} onFold={fold} />
          <section class="panel">
            <header>
              <h2>Steps</h2>
              <span class="mute">by group; what is done is counted</span>
            </header>
            <Tree state={state} nowMs={nowMs} />
          </section>
          <section class="panel latest">
            <header>
              <h2>Latest</h2>
              <a class="push linklike" href={writeRoute({ ...store.route.value, screen: "log" })}>
                All events
              </a>
            </header>
            <LogLines events={latest} state={state} />
          </section>
        </div>
        <div class="stack aside">
          <Waits state={state} nowMs={nowMs} />
          <PathCard timeline={timeline} state={state} isOver={isOver} />
        </div>
      </div>
    </>
  );
}

interface TimelinePanelProps {
  cluster: string;
  state: RunState;
  timeline: Timeline;
  nowMs: number;
  isOver: boolean;
  onFold(key: string): void;
}

function TimelinePanel(props: TimelinePanelProps): JSX.Element {
  const { state, timeline, isOver } = props;
  const { now } = useStore();
  const [isTable, setTable] = useState(false);
  const kinds = new Set(timeline.lanes.flatMap(({ segments }) => segments.map(({ kind }) => kind)));
  const started = state.run ? clockText(state.run.at, now.value) : "";
  return (
    <section class="panel">
      <header>
        <h2>Timeline</h2>
        <span class="mute">
          {state.run?.command}, {isOver ? "began" : "started"} {started}
        </span>
        <div class="legend push" hidden={isTable}>
          <span>
            <i class="k-crit" />
            critical path
          </span>
          <span>
            <i class="k-bar" />
            other work
          </span>
          {kinds.has("queue") && (
            <span>
              <i class="k-queue" />
              queued for a lock
            </span>
          )}
          {kinds.has("failed") && (
            <span>
              <i class="k-fail" />
              failed
            </span>
          )}
          {kinds.has("forecast") && (
            <span>
              <i class="k-ghost" />
              expected
            </span>
          )}
        </div>
        <button type="button" class="toggle" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </header>
      {isTable ? <TimelineTable timeline={timeline} /> : <Gantt {...props} />}
    </section>
  );
}

/** The end of a run that did not go well, on top: what failed and the next thing to do. */
function Problems({ state, isCut }: { state: RunState; isCut: boolean }): JSX.Element | null {
  const errors = errorsOf(state);
  const cluster = state.run?.clusters[0] ?? "";
  if (errors.length > 0 && (state.failures.length > 0 || state.done)) {
    return (
      <>
        {errors.map((error, index) => (
          <Failure
            key={index}
            error={error}
            kept={index === errors.length - 1 ? state.done?.kept : undefined}
          />
        ))}
      </>
    );
  }
  if (isCut) {
    return (
      <section class="panel err is-warn">
        <header>
          <h2>
            <Icon shape="warn" />
            <span>This run was cut short: its program is gone without a last word</span>
          </h2>
        </header>
        <dl>
          <dt>safe</dt>
          <dd>Nothing is half-recorded; what exists carries its owner tag</dd>
          <dt>next</dt>
          <dd>
            Going on from here:
            <div>
              <Command text={`slipway ${state.run?.command ?? "up"} ${cluster}`} />
            </div>
          </dd>
        </dl>
      </section>
    );
  }
  return state.done?.outcome === "failed" ? (
    <div class="panel empty">
      <b>{resultText(state, state.done)}</b>
    </div>
  ) : null;
}

const OldRun = ({ cluster }: { cluster: string }): JSX.Element => (
  <p class="panel note">
    This is an earlier run.{" "}
    <a class="linklike" href={writeRoute({ cluster, screen: "run" })}>
      Show the newest
    </a>
  </p>
);

const NoRun = ({ cluster, isKnown }: { cluster: string; isKnown: boolean }): JSX.Element => (
  <div class="panel empty">
    <b>{isKnown ? `No run of ${cluster} is recorded here` : "Reading the runs…"}</b>
    {isKnown && (
      <>
        <p>Runs are recorded beside the cluster file. A run started in a terminal appears here by itself.</p>
        <Command text={`slipway up ${cluster}`} />
      </>
    )}
  </div>
);
