import type { JSX } from "preact";
import { formatNumber } from "../../../views/index.ts";
import { managedMood, moodOf, runsOf } from "../data/mood.ts";
import { writeRoute } from "../data/route.ts";
import { useStore, type Store } from "../data/store.ts";
import { Brand, HostIcon, Icon } from "./icon.tsx";

/** Clusters and hosts, always in the same place; on a phone a menu of clusters. */
export function Sidebar({ onHelp }: { onHelp(): void }): JSX.Element {
  const store = useStore();
  const { cluster } = store.route.value;
  const names = clusterNames(store);
  const session = store.session.value;
  return (
    <aside class="side">
      <a class="brand" href={writeRoute({})}>
        <Brand />
        Slipway
      </a>
      <label class="jump">
        <span class="vh">Go to</span>
        <select
          value={cluster ?? ""}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            location.hash = chosen === "" ? writeRoute({}) : writeRoute({ cluster: chosen, screen: "run" });
          }}
        >
          {!store.isStored && <option value="">Fleet</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <nav aria-label="Clusters">
        <h2>Clusters</h2>
        <ul>
          {names.slice(0, mostShown).map((name) => (
            <ClusterLink key={name} name={name} store={store} isCurrent={name === cluster} />
          ))}
          {names.length > mostShown && (
            <li>
              <a href={writeRoute({})}>
                <span />
                <span class="mute">{formatNumber(names.length - mostShown, "more cluster")}</span>
              </a>
            </li>
          )}
        </ul>
      </nav>
      <Hosts store={store} />
      <footer>
        {footerText(store)}
        {session && (
          <>
            <br />
            <span class="mono">{session.file}</span>
            <br />
            Slipway {session.slipway}
          </>
        )}
        <br />
        <button type="button" onClick={onHelp}>
          Keys ( ? )
        </button>
      </footer>
    </aside>
  );
}

const mostShown = 24;

/** In the order of the file, then whatever else is there; of a controller, by name. */
export const clusterNames = (store: Store): string[] => [
  ...new Set([
    ...(store.session.value?.clusters ?? []),
    ...(store.fleet.value?.clusters.map(({ cluster }) => cluster) ?? []),
    ...(store.objects.value?.clusters.map(({ name }) => name) ?? []),
  ]),
];

function footerText(store: Store): string {
  if (store.isStored) return "One run, as it was told. This page asks nobody.";
  return store.session.value?.canChange === true
    ? "On this machine alone. Every change shows its plan and asks."
    : "Read-only, on this machine alone. To act, copy a command.";
}

function ClusterLink({
  name,
  store,
  isCurrent,
}: {
  name: string;
  store: Store;
  isCurrent: boolean;
}): JSX.Element {
  const status = store.fleet.value?.clusters.find(({ cluster }) => cluster === name);
  const managed = store.objects.value?.clusters.find((each) => each.name === name);
  const mood = managed ? managedMood(managed) : moodOf(status, runsOf(store.runs.value, name)[0]);
  const isPartly = status !== undefined && status.ready < status.nodes.length && status.state !== "Absent";
  return (
    <li>
      <a href={writeRoute({ cluster: name, screen: "run" })} aria-current={isCurrent ? "page" : undefined}>
        <Icon shape={mood.shape} label={mood.word} />
        <span class="name">{name}</span>
        <small class="num">{isPartly ? `${status.ready} of ${status.nodes.length}` : ""}</small>
      </a>
    </li>
  );
}

function Hosts({ store }: { store: Store }): JSX.Element | null {
  const counts = new Map<string, number>();
  for (const { nodes } of store.fleet.value?.clusters ?? []) {
    for (const { host } of nodes) if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return (
    <nav aria-label="Hosts">
      <h2>Hosts</h2>
      <ul>
        {[...counts].slice(0, mostShown).map(([host, count]) => (
          <li key={host}>
            <span>
              <HostIcon />
              <span class="name">{host}</span>
              <small class="num">{formatNumber(count, "node")}</small>
            </span>
          </li>
        ))}
      </ul>
    </nav>
  );
}
