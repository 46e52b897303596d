import { effect } from "@preact/signals";
import { render } from "preact";
import type { ExportedRun } from "../protocol.ts";
import { App, openOn } from "./app.tsx";
import { Api } from "./data/api.ts";
import { readOpening, readRoute, writeRoute } from "./data/route.ts";
import { RunFeed } from "./data/run-feed.ts";
import { keepReading, Store, StoreProvider } from "./data/store.ts";
import { restoreTheme } from "./parts/theme-button.tsx";

const tokenKey = "slipway-token";

start();

function start(): void {
  restoreTheme();
  const store = storedStore() ?? liveStore();
  addEventListener("hashchange", () => {
    takeToken();
    store.route.value = readRoute(location.hash);
  });
  const root = document.getElementById("app") ?? document.body;
  render(
    <StoreProvider value={store}>
      <App />
    </StoreProvider>,
    root,
  );
}

/** The token comes once, in the fragment, which no server and no log sees; it is kept for reloads of this tab alone. */
function takeToken(): string | undefined {
  const { token, rest } = readOpening(location.hash);
  history.replaceState(null, "", rest);
  if (token !== undefined) sessionStorage.setItem(tokenKey, token);
  return token ?? sessionStorage.getItem(tokenKey) ?? undefined;
}

function liveStore(): Store {
  const isOpened = /[#&?]t=/.test(location.hash);
  const token = takeToken();
  const api = new Api(token ?? "", () => store.heard());
  const store: Store = new Store(api);
  if (token === undefined) {
    store.barred.value = {
      code: "UI_NO_TOKEN",
      what: "Cannot show the dashboard without its token",
      why: "this tab was opened without the address that the program printed",
      next: 'Open the whole address that "slipway ui" prints, with all that stands behind the #',
    };
    return store;
  }
  keepReading(store, api);
  if (isOpened) followOpening(store);
  return store;
}

/** Once, when the session is known: a reload stays where it was. */
function followOpening(store: Store): void {
  let isOpen = true;
  effect(() => {
    const { query, cluster } = store.route.value;
    const run = query["run"] ?? store.session.value?.run;
    if (!isOpen || !store.session.value || !store.runs.value) return;
    isOpen = false;
    if (run !== undefined && cluster === undefined) openOn(store, run);
  });
}

function storedStore(): Store | undefined {
  const stored = readStoredRun();
  if (!stored) return undefined;
  const { session, events } = stored;
  const feed = new RunFeed();
  void feed.take(events).then(() => feed.end());
  const store = new Store(undefined, feed);
  const [first] = events;
  const done = events.findLast((event) => event.type === "done");
  const run = first?.run ?? "";
  store.session.value = session;
  store.runs.value = [
    {
      run,
      command: first?.type === "run" ? first.command : "",
      clusters: session.clusters,
      world: session.world,
      startedAt: first?.at ?? "",
      outcome: done?.type === "done" ? done.outcome : "cut",
      tookMs: done?.type === "done" ? done.tookMs : undefined,
    },
  ];
  const { cluster } = store.route.value;
  const [name] = session.clusters;
  if (cluster === undefined && name !== undefined) {
    history.replaceState(null, "", writeRoute({ cluster: name, screen: "run" }));
    store.route.value = readRoute(location.hash);
  }
  return store;
}

/** A run that was written into the page itself, to be sent to somebody: nothing is asked for then. */
function readStoredRun(): ExportedRun | undefined {
  const text = document.querySelector("script#slipway-run[type='application/json']")?.textContent;
  return text ? (JSON.parse(text) as ExportedRun) : undefined;
}
