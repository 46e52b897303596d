import type { JSX } from "preact";
import { formatNumber, listNames } from "../../../views/index.ts";
import type { ClusterStatus } from "../../../operations/index.ts";
import { CapacityPanel } from "../capacity/capacity-panel.tsx";
import { moodOf, runsOf, type Mood } from "../data/mood.ts";
import { writeRoute } from "../data/route.ts";
import { useStore, type Store } from "../data/store.ts";
import { Command } from "../parts/command.tsx";
import { ThemeButton } from "../parts/theme-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";
import { agoText } from "../parts/time.ts";
import { RunsTable } from "./runs-table.tsx";

interface FleetRow {
  name: string;
  mood: Mood;
  status: ClusterStatus | undefined;
}

/** Is anything wrong? Problems first, one sentence each. */
export function FleetScreen(): JSX.Element {
  const store = useStore();
  const { query } = store.route.value;
  const search = (query["q"] ?? "").toLowerCase();
  const isProblemsOnly = query["state"] === "problems";
  const all = fleetRows(store);
  const rows = all
    .filter(({ mood }) => !isProblemsOnly || mood.rank < calmRank)
    .filter(({ name, mood, status }) =>
      `${name} ${mood.word} ${mood.sentence} ${status?.version ?? ""}`.toLowerCase().includes(search),
    );
  const problems = all.filter(({ mood }) => mood.rank < calmRank).length;
  const runs = store.runs.value;
  return (
    <>
      <div class="crumb" />
      <div class="top">
        <h1>Fleet</h1>
        <FleetFacts store={store} count={all.length} />
        <div class="right">
          <Command text="slipway status" />
          <ThemeButton />
        </div>
      </div>
      <div class="stack fleet-stack">
        <section class="panel">
          <header>
            <h2>
              {problems === 0
                ? "No problem known"
                : formatNumber(problems, "cluster needs a look", "clusters need a look")}
            </h2>
            <FleetFilters store={store} isProblemsOnly={isProblemsOnly} />
          </header>
          <Rows
            kind="fleet"
            label="Clusters"
            items={rows}
            columns={columns}
            keyOf={({ name }) => name}
            hrefOf={({ name }) => writeRoute({ cluster: name, screen: "run" })}
          />
          {rows.length === 0 && (
            <p class="empty">
              {all.length === 0 ? "The file names no cluster." : "No cluster passes this filter."}
            </p>
          )}
        </section>
        <CapacityPanel />
        <section class="panel">
          <header>
            <h2>Recent runs</h2>
          </header>
          <RunsTable runs={(runs ?? []).slice(0, 12)} isRead={runs !== undefined} />
        </section>
      </div>
    </>
  );
}

/** A running cluster is no problem; whatever is graver is. */
const calmRank = 3;

function fleetRows(store: Store): FleetRow[] {
  const statuses = new Map(store.fleet.value?.clusters.map((status) => [status.cluster, status]));
  const names = new Set([...(store.session.value?.clusters ?? []), ...statuses.keys()]);
  return [...names]
    .map((name) => {
      const status = statuses.get(name);
      return { name, status, mood: moodOf(status, runsOf(store.runs.value, name)[0]) };
    })
    .toSorted((a, b) => a.mood.rank - b.mood.rank || a.name.localeCompare(b.name, "en"));
}

const hostsText = (status: ClusterStatus | undefined): string =>
  listNames([...new Set(status?.nodes.flatMap(({ host }) => host ?? []))]);

const columns: Column<FleetRow>[] = [
  { title: "Cluster", cell: ({ name }) => name },
  {
    title: "State",
    kind: "state",
    cell: ({ mood }) => (
      <>
        <Icon shape={mood.shape} label={false} />
        <span>{mood.word}</span>
      </>
    ),
  },
  { title: "What to know", kind: "know", cell: ({ mood }) => mood.sentence },
  { title: "Version", kind: "mute wide-only", cell: ({ status }) => status?.version ?? "" },
  {
    title: "Nodes",
    kind: "n",
    cell: ({ status }) => (status ? `${status.ready} of ${status.nodes.length}` : "-"),
  },
  { title: "Hosts", kind: "mute wide-only", cell: ({ status }) => hostsText(status) },
];

function FleetFacts({ store, count }: { store: Store; count: number }): JSX.Element {
  const fleet = store.fleet.value;
  const nodes = fleet?.clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0) ?? 0;
  const hosts = new Set(fleet?.clusters.flatMap((cluster) => cluster.nodes.flatMap(({ host }) => host ?? [])))
    .size;
  const agoMs = fleet ? store.now.value - (store.api?.skewMs ?? 0) - Date.parse(fleet.at) : 0;
  return (
    <div class="facts">
      <span>{formatNumber(count, "cluster")}</span>
      {fleet && <span>{formatNumber(nodes, "node")}</span>}
      {fleet && hosts > 0 && <span>{formatNumber(hosts, "host")}</span>}
      <span class="num">{fleet ? `read ${agoText(agoMs)}` : "reading…"}</span>
    </div>
  );
}

function FleetFilters({ store, isProblemsOnly }: { store: Store; isProblemsOnly: boolean }): JSX.Element {
  const { query } = store.route.value;
  return (
    <div class="bar-of-filters">
      <input
        class="field"
        type="search"
        data-search
        aria-label="Filter the clusters"
        placeholder="Filter ( / )"
        value={query["q"] ?? ""}
        onInput={(event) => store.setQuery({ q: event.currentTarget.value })}
      />
      <button
        type="button"
        class="toggle"
        aria-pressed={isProblemsOnly}
        onClick={() => store.setQuery({ state: isProblemsOnly ? "" : "problems" })}
      >
        Problems only
      </button>
    </div>
  );
}
