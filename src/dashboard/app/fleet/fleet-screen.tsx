import type { JSX } from "preact";
import { formatNumber, listNames } from "../../../views/index.ts";
import type { ClusterStatus } from "../../../operations/index.ts";
import { CapacityPanel } from "../capacity/capacity-panel.tsx";
import { managedMood, moodOf, runsOf, type Mood } from "../data/mood.ts";
import { writeRoute } from "../data/route.ts";
import { useStore, type Store } from "../data/store.ts";
import { Command } from "../parts/command.tsx";
import { Failure } from "../parts/failure.tsx";
import { ThemeButton } from "../parts/theme-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";
import { agoText } from "../parts/time.ts";
import { RunsTable } from "./runs-table.tsx";

interface FleetRow {
  name: string;
  mood: Mood;
  version: string;
  nodes: string;
  hosts: string;
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
    .filter(({ name, mood, version }) =>
      `${name} ${mood.word} ${mood.sentence} ${version}`.toLowerCase().includes(search),
    );
  const problems = all.filter(({ mood }) => mood.rank < calmRank).length;
  const { management } = store.session.value ?? {};
  const runs = management ? store.objects.value?.runs : store.runs.value;
  return (
    <>
      <div class="crumb" />
      <div class="top">
        <h1>Fleet</h1>
        <FleetFacts store={store} count={all.length} />
        <div class="right">
          <Command text={management ? `kubectl -n ${management.namespace} get swc` : "slipway status"} />
          <ThemeButton />
        </div>
      </div>
      <div class="stack fleet-stack">
        {store.objectsError.value && <Failure error={store.objectsError.value} />}
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
              {all.length > 0
                ? "No cluster passes this filter."
                : management
                  ? "No SlipwayCluster is known in this namespace."
                  : "The file names no cluster."}
            </p>
          )}
        </section>
        {!management && <CapacityPanel />}
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

const fleetRows = (store: Store): FleetRow[] =>
  (store.session.value?.management ? managedRows(store) : rowsOfFile(store)).toSorted(
    (a, b) => a.mood.rank - b.mood.rank || a.name.localeCompare(b.name, "en"),
  );

const managedRows = (store: Store): FleetRow[] =>
  (store.objects.value?.clusters ?? []).map((cluster) => {
    const { name, version, nodes, hosts } = cluster;
    const counted = nodes ? `${nodes.ready} of ${nodes.wanted}` : "-";
    return { name, version, hosts, nodes: counted, mood: managedMood(cluster) };
  });

function rowsOfFile(store: Store): FleetRow[] {
  const statuses = new Map(store.fleet.value?.clusters.map((status) => [status.cluster, status]));
  const names = new Set([...(store.session.value?.clusters ?? []), ...statuses.keys()]);
  return [...names].map((name) => {
    const status = statuses.get(name);
    return {
      name,
      mood: moodOf(status, runsOf(store.runs.value, name)[0]),
      version: status?.version ?? "",
      nodes: status ? `${status.ready} of ${status.nodes.length}` : "-",
      hosts: hostsText(status),
    };
  });
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
  { title: "Version", kind: "mute wide-only", cell: ({ version }) => version },
  { title: "Nodes", kind: "n", cell: ({ nodes }) => nodes },
  { title: "Hosts", kind: "mute wide-only", cell: ({ hosts }) => hosts },
];

function FleetFacts({ store, count }: { store: Store; count: number }): JSX.Element {
  const fleet = store.fleet.value;
  const { at } = fleet ?? store.objects.value ?? {};
  const nodes = fleet?.clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0) ?? 0;
  const hosts = new Set(fleet?.clusters.flatMap((cluster) => cluster.nodes.flatMap(({ host }) => host ?? [])))
    .size;
  const agoMs = at === undefined ? 0 : store.now.value - (store.api?.skewMs ?? 0) - Date.parse(at);
  return (
    <div class="facts">
      <span>{formatNumber(count, "cluster")}</span>
      {fleet && <span>{formatNumber(nodes, "node")}</span>}
      {fleet && hosts > 0 && <span>{formatNumber(hosts, "host")}</span>}
      <span class="num">{at === undefined ? "reading…" : `read ${agoText(agoMs)}`}</span>
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
