import type { JSX } from "preact";
import { summarizeChecks, formatDuration, type CheckTally, type RunState } from "../../../views/index.ts";
import { useStore } from "../data/store.ts";
import { useRun } from "../data/use-run.ts";
import { Command } from "../parts/command.tsx";
import { Failure } from "../parts/failure.tsx";
import { CheckTable } from "./check-table.tsx";
import { DoctorWalk } from "./doctor-walk.tsx";
import { useLook, type Look } from "./use-look.ts";

/** What was checked before the last run, and how the cluster is now. */
export function ChecksScreen({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const shown = useRun(cluster);
  const verify = useLook("verify", cluster);
  const doctor = useLook("doctor", cluster);
  const run = shown?.feed.state;
  return (
    <div class="two">
      <ChecksPanel
        title="Preflight"
        tally={run?.checks.get("preflight")}
        empty="No run of this cluster has checked anything before it began."
        aside="before the run began"
      />
      <div class="stack">
        <HealthPanel cluster={cluster} look={verify} run={run} isStored={store.isStored} />
        {!store.isStored && <DoctorPanel cluster={cluster} look={doctor} />}
      </div>
    </div>
  );
}

function ChecksPanel(props: {
  title: string;
  tally: CheckTally | undefined;
  empty: string;
  aside: string;
}): JSX.Element {
  const { title, tally, empty, aside } = props;
  const summary = tally && summarizeChecks(title.toLowerCase(), tally);
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {summary && (
          <span class="mute">
            {summary.passed} of {summary.total} passed in {formatDuration(summary.tookMs)}, {aside}
          </span>
        )}
      </header>
      {tally ? <CheckTable checks={tally.checks} /> : <p class="empty">{empty}</p>}
    </section>
  );
}

function HealthPanel(props: {
  cluster: string;
  look: Look;
  run: RunState | undefined;
  isStored: boolean;
}): JSX.Element {
  const { cluster, look, run, isStored } = props;
  const tally = look.state.checks.get("verify") ?? (look.isBegun ? undefined : run?.checks.get("verify"));
  const summary = tally && summarizeChecks("verify", tally);
  return (
    <section class="panel">
      <header>
        <h2>Verify</h2>
        <span class="mute">
          {look.isRunning
            ? "looking…"
            : summary
              ? `${summary.passed} of ${summary.total} passed${look.isBegun ? " now" : ", at the end of the run"}`
              : "is it healthy?"}
        </span>
        {!isStored && <LookButton look={look} text="Verify now" />}
      </header>
      {look.errors.map((error, index) => (
        <Failure key={index} error={error} />
      ))}
      {tally ? (
        <CheckTable checks={tally.checks} />
      ) : (
        <p class="empty">{look.isRunning ? "Asking hosts, nodes and Kubernetes…" : "Not looked at yet."}</p>
      )}
      {!isStored && (
        <p class="note">
          The same in a terminal: <Command text={`slipway verify ${cluster}`} />
        </p>
      )}
    </section>
  );
}

function DoctorPanel({ cluster, look }: { cluster: string; look: Look }): JSX.Element {
  const checks = look.state.checks.get("doctor")?.checks ?? [];
  const cause = look.state.done?.error ?? checks.findLast(({ error }) => error !== undefined)?.error;
  return (
    <section class="panel">
      <header>
        <h2>Doctor</h2>
        <span class="mute">
          {look.isRunning ? "asking, the cheapest question first…" : "why is it not healthy? It only reads"}
        </span>
        <LookButton look={look} text="Ask the doctor" />
      </header>
      {look.errors.map((error, index) => (
        <Failure key={index} error={error} />
      ))}
      {checks.length > 0 && <DoctorWalk checks={checks} />}
      {look.isBegun && !look.isRunning && cause && <Failure error={cause} />}
      {look.isBegun && !look.isRunning && !cause && checks.length > 0 && (
        <p class="note">Nothing wrong found, {checks.length} questions asked.</p>
      )}
      {!look.isBegun && (
        <p class="note">
          The same in a terminal: <Command text={`slipway doctor ${cluster}`} />
        </p>
      )}
    </section>
  );
}

const LookButton = ({ look, text }: { look: Look; text: string }): JSX.Element => (
  <button type="button" class="button push" disabled={look.isRunning} onClick={look.start}>
    {look.isRunning ? "Looking…" : text}
  </button>
);
