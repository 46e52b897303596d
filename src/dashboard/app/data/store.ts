import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ErrorData } from "../../../errors/index.ts";
import type { FleetAnswer, ObjectsAnswer, RunSummary, Session } from "../../protocol.ts";
import { RefusedByServer, wallMs, type Api } from "./api.ts";
import { readRoute, writeRoute, type Route } from "./route.ts";
import { followRun, RunFeed } from "./run-feed.ts";

/** What the page knows. Screens read its signals and are drawn again when one of them changes. */
export class Store {
  readonly session: Signal<Session | undefined> = signal(undefined);
  readonly fleet: Signal<FleetAnswer | undefined> = signal(undefined);
  readonly runs: Signal<RunSummary[] | undefined> = signal(undefined);
  /** Of a dashboard that shows the clusters of a controller; the fleet and the runs of a file are not asked for then. */
  readonly objects: Signal<ObjectsAnswer | undefined> = signal(undefined);
  /** Why the objects cannot be read at the moment. */
  readonly objectsError: Signal<ErrorData | undefined> = signal(undefined);
  readonly route: Signal<Route> = signal(readRoute(location.hash));
  /** The clock that times are counted against, once a second. */
  readonly now: Signal<number> = signal(wallMs());
  readonly heardAt: Signal<number> = signal(wallMs());
  readonly isLost: Signal<boolean> = signal(false);
  /** Why nothing can be shown at all: no token, or one that is refused. */
  readonly barred: Signal<ErrorData | undefined> = signal(undefined);
  /** Runs that this page has started, which it may also stop. */
  readonly started: Signal<ReadonlySet<string>> = signal(new Set<string>());
  readonly announcement: Signal<string> = signal("");
  readonly lostMs: ReadonlySignal<number> = computed(() =>
    this.isLost.value ? Math.max(0, this.now.value - this.heardAt.value) : 0,
  );
  readonly api: Api | undefined;
  private readonly stored: RunFeed | undefined;
  private readonly feeds = new Map<string, { feed: RunFeed; stop: AbortController }>();

  /** Without an API it shows the one run it was made with. */
  constructor(api: Api | undefined, stored?: RunFeed) {
    this.api = api;
    this.stored = stored;
  }

  get isStored(): boolean {
    return this.api === undefined;
  }

  /** The run, followed from now on. A few are kept, so that coming back is at once. */
  feedOf(run: string): RunFeed {
    if (this.stored) return this.stored;
    const known = this.feeds.get(run);
    if (known) {
      this.feeds.delete(run);
      this.feeds.set(run, known);
      return known.feed;
    }
    const feed = new RunFeed();
    const stop = new AbortController();
    this.feeds.set(run, { feed, stop });
    if (this.api) void followRun(this.api, run, feed, stop.signal);
    const [oldest] = this.feeds.keys();
    if (this.feeds.size > mostFeeds && oldest !== undefined) {
      this.feeds.get(oldest)?.stop.abort();
      this.feeds.delete(oldest);
    }
    return feed;
  }

  /** Writes filters into the address, without a step in the history for every letter. */
  setQuery(query: Record<string, string>): void {
    const route = { ...this.route.value, query: { ...this.route.value.query, ...query } };
    history.replaceState(null, "", writeRoute(route));
    this.route.value = route;
  }

  heard(): void {
    this.heardAt.value = wallMs();
    this.isLost.value = false;
  }

  /** Takes what went wrong with a call: the connection is lost, or this page is not let in. */
  missed(thrown: unknown): void {
    if (thrown instanceof RefusedByServer) {
      if (thrown.status === 401 || thrown.status === 403) this.barred.value = thrown.error;
    } else {
      this.isLost.value = true;
    }
  }
}

const mostFeeds = 4;

const StoreContext = createContext<Store | undefined>(undefined);
export const StoreProvider = StoreContext.Provider;

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error("drawn outside of the page");
  return store;
}

/** The signals of a page that nothing was asked for are filled, and stay so, every few seconds while somebody looks. */
export function keepReading(store: Store, api: Api): void {
  const again = (everyMs: number, task: () => Promise<void>): void => {
    const turn = async (): Promise<void> => {
      if (document.visibilityState === "visible" || store.isLost.value) {
        await task().catch((thrown: unknown) => store.missed(thrown));
      }
      setTimeout(() => void turn(), store.isLost.value ? 1500 : everyMs);
    };
    void turn();
  };
  const session = async () => fill(store.session, await api.get<Session>("/api/session", soon()));
  const runs = async () => fill(store.runs, await api.get<RunSummary[]>("/api/runs", soon()));
  const fleet = async () => fill(store.fleet, await api.get<FleetAnswer>("/api/fleet", soon()));
  const objects = async () => {
    try {
      fill(store.objects, await api.get<ObjectsAnswer>("/api/objects", soon()));
      store.objectsError.value = undefined;
    } catch (thrown) {
      if (thrown instanceof RefusedByServer) store.objectsError.value = thrown.error;
      throw thrown;
    }
  };
  again(30_000, session);
  // What is asked for depends on what is shown.
  const end = effect(() => {
    const known = store.session.value;
    if (!known) return;
    queueMicrotask(() => end());
    if (known.management) return again(5_000, objects);
    again(3_000, runs);
    again(20_000, fleet);
  });
  setInterval(() => (store.now.value = wallMs()), 1000);
}

/** What says the same as before is not drawn again. */
function fill<T>(into: Signal<T | undefined>, answer: T): void {
  if (JSON.stringify(into.value) !== JSON.stringify(answer)) into.value = answer;
}

const soon = (): AbortSignal => AbortSignal.timeout(60_000);
