import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatElapsed, groupTitles } from "../../views/index.ts";
import { CapacityPanel } from "./capacity/capacity-panel.tsx";
import { ChecksScreen } from "./checks/checks-screen.tsx";
import { runsOf } from "./data/mood.ts";
import { writeRoute } from "./data/route.ts";
import { useStore, type Store } from "./data/store.ts";
import { useRun } from "./data/use-run.ts";
import { FleetScreen } from "./fleet/fleet-screen.tsx";
import { RunsTable } from "./fleet/runs-table.tsx";
import { LogScreen } from "./log/log-screen.tsx";
import { ManagedScreen } from "./managed/managed-screen.tsx";
import { NodeScreen } from "./nodes/node-screen.tsx";
import { NodesScreen } from "./nodes/nodes-screen.tsx";
import { ClusterHead } from "./parts/cluster-head.tsx";
import { Failure } from "./parts/failure.tsx";
import { listenToKeys } from "./parts/keyboard.ts";
import { Sidebar } from "./parts/sidebar.tsx";
import { PlanScreen } from "./plan/plan-screen.tsx";
import { RunScreen } from "./run/run-screen.tsx";
import { TopologyScreen } from "./topology/topology-screen.tsx";
import { UpkeepScreen } from "./upkeep/upkeep-screen.tsx";

/** The whole page: what is said on every screen, the sidebar, and the screen of the address. */
export function App(): JSX.Element {
  const store = useStore();
  const help = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);
  const { cluster, screen, node } = store.route.value;
  const showHelp = (): void => help.current?.showModal();
  useEffect(() => listenToKeys({ route: () => store.route.value, help: showHelp }), []);
  useEffect(() => {
    document.title = cluster === undefined ? "Fleet · Slipway" : `${node ?? cluster} · Slipway`;
    scrollTo(0, 0);
  }, [cluster, screen, node]);
  const barred = store.barred.value;
  return (
    <div class={store.isLost.value ? "is-stale" : ""}>
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <RehearsalStrip />
      <LostStrip store={store} />
      <div class="frame">
        <Sidebar onHelp={showHelp} />
        <main id="main" tabIndex={-1} ref={main}>
          {barred ? (
            <Failure error={barred} />
          ) : cluster === undefined ? (
            <FleetScreen />
          ) : store.session.value?.management ? (
            <ManagedScreen key={cluster} cluster={cluster} management={store.session.value.management} />
          ) : (
            <ClusterScreen cluster={cluster} />
          )}
        </main>
      </div>
      <Announcer />
      <Help dialog={help} />
    </div>
  );
}

function ClusterScreen({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const { screen, node } = store.route.value;
  return (
    <>
      <ClusterHead cluster={cluster} />
      {screen === "run" && <RunScreen key={cluster} cluster={cluster} />}
      {screen === "topology" && <TopologyScreen key={cluster} cluster={cluster} />}
      {screen === "plan" && <PlanScreen key={cluster} cluster={cluster} />}
      {screen === "checks" && <ChecksScreen key={cluster} cluster={cluster} />}
      {screen === "nodes" &&
        (node === undefined ? (
          <NodesScreen cluster={cluster} />
        ) : (
          <NodeScreen key={node} cluster={cluster} node={node} />
        ))}
      {screen === "log" && <LogScreen cluster={cluster} />}
      {screen === "capacity" && <CapacityPanel cluster={cluster} />}
      {screen === "upkeep" && <UpkeepScreen key={cluster} cluster={cluster} />}
      {screen === "runs" && (
        <section class="panel">
          <header>
            <h2>Runs of {cluster}</h2>
            <span class="mute">newest first</span>
          </header>
          <RunsTable runs={runsOf(store.runs.value, cluster)} isRead={store.runs.value !== undefined} />
        </section>
      )}
    </>
  );
}

/** Said on every screen that shows anything simulated. */
function RehearsalStrip(): JSX.Element | null {
  const store = useStore();
  const { cluster } = store.route.value;
  const shown = useRun(cluster ?? "");
  const isSimulated =
    store.session.value?.world === "rehearsal" ||
    (cluster !== undefined && shown?.feed.state.run?.world === "rehearsal");
  if (!isSimulated) return null;
  return <p class="strip rehearsal">Rehearsal: simulated hosts, simulated time. Nothing real is touched.</p>;
}

function LostStrip({ store }: { store: Store }): JSX.Element | null {
  if (!store.isLost.value || store.isStored) return null;
  return (
    <p class="strip lost" role="alert">
      Connection lost, last heard <span class="num">{formatElapsed(store.lostMs.value)}</span> ago. What is
      shown is from then; trying again.
    </p>
  );
}

/** One sentence per finished group, and the end of the run, for those who listen. */
function Announcer(): JSX.Element {
  const store = useStore();
  const { cluster } = store.route.value;
  const shown = useRun(cluster ?? "");
  const state = cluster === undefined ? undefined : shown?.feed.state;
  const over = [...(state?.groups.values() ?? [])].filter(
    ({ overCount, subjects }) => overCount === subjects.length,
  );
  const last = over.at(-1);
  const text = state?.done
    ? `The run has ended: ${state.done.outcome}`
    : last
      ? `${groupTitles[last.key]}: ${last.counts.done} of ${last.subjects.length} done`
      : "";
  return (
    <p class="vh" role="status" aria-live="polite">
      {text}
    </p>
  );
}

const keys = [
  ["/", "search or filter"],
  ["j  k", "next and previous row"],
  ["Enter", "open it"],
  ["Esc", "one level up"],
  ["?", "this help"],
] as const;

const Help = ({ dialog }: { dialog: { current: HTMLDialogElement | null } }): JSX.Element => (
  <dialog ref={dialog} aria-label="Keys">
    <h2>Keys</h2>
    <dl class="keys">
      {keys.flatMap(([key, effect]) => [
        <dt key={key}>
          <kbd>{key}</kbd>
        </dt>,
        <dd key={effect}>{effect}</dd>,
      ])}
    </dl>
    <button type="button" class="button" onClick={() => dialog.current?.close()}>
      Close
    </button>
  </dialog>
);

/** The page begins on the run that it was opened for, once it knows of which cluster that is. */
export function openOn(store: Store, run: string): void {
  const found = store.runs.value?.find((each) => each.run === run);
  const [cluster] = found?.clusters ?? store.session.value?.clusters ?? [];
  if (cluster !== undefined) location.replace(writeRoute({ cluster, screen: "run", query: { run } }));
}
