import type { JSX } from "preact";
import { formatElapsed } from "../../../views/index.ts";
import type { ManagedRun, RunSummary } from "../../protocol.ts";
import { writeRoute } from "../data/route.ts";
import { useStore } from "../data/store.ts";
import { Icon, type Shape } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";
import { clockText } from "../parts/time.ts";

const outcomes: Record<NonNullable<RunSummary["outcome"]>, [Shape, string]> = {
  done: ["done", "Done"],
  unchanged: ["done", "No changes"],
  failed: ["fail", "Failed"],
  stopped: ["skip", "Stopped"],
  refused: ["warn", "Refused"],
  waiting: ["wait", "Waits for its window"],
  cut: ["warn", "Cut short"],
};

/** Runs, newest first; each leads to its timeline. */
export function RunsTable({ runs, isRead }: { runs: readonly ManagedRun[]; isRead: boolean }): JSX.Element {
  const { now, session } = useStore();
  const isManaged = session.value?.management !== undefined;
  if (runs.length === 0) {
    const none = isManaged ? "The controller keeps no run yet." : "No run is recorded beside this file yet.";
    return <p class="empty">{isRead ? none : "Reading the runs…"}</p>;
  }
  const columns: Column<ManagedRun>[] = [
    {
      title: "Started",
      cell: ({ startedAt }) => <time dateTime={startedAt}>{clockText(startedAt, now.value)}</time>,
    },
    {
      title: "Run",
      kind: "mono",
      cell: ({ command, clusters, world }) => (
        <>
          {command} {clusters.join(", ")} {world === "rehearsal" && <span class="chip">rehearsal</span>}
        </>
      ),
    },
    {
      title: "Outcome",
      kind: "state",
      cell: ({ outcome, why }) => {
        const [shape, word] = outcome === undefined ? (["run", "Running"] as const) : outcomes[outcome];
        return (
          <>
            <Icon shape={shape} label={false} />
            <span title={why}>{word}</span>
          </>
        );
      },
    },
    { title: "Took", kind: "n", cell: ({ tookMs }) => (tookMs === undefined ? "" : formatElapsed(tookMs)) },
  ];
  return (
    <Rows
      kind="runs"
      label="Runs"
      items={runs}
      columns={columns}
      keyOf={({ run }) => run}
      hrefOf={({ run, clusters }) =>
        writeRoute({ cluster: clusters[0] ?? "-", screen: "run", query: { run } })
      }
    />
  );
}
