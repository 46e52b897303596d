import { signal, type Signal } from "@preact/signals";
import type { RunEvent } from "../../../plan/index.ts";
import { newRunState, takeEvent, type RunState } from "../../../views/index.ts";
import type { Api } from "./api.ts";
import { RefusedByServer } from "./api.ts";

/** `opening` until the first event; `lost` while it is tried again; `ended` when there is no more to come. */
export type Link = "opening" | "live" | "lost" | "ended";

/** One run as far as it has been told. `version` rises whenever there is more to see. */
export class RunFeed {
  readonly state: RunState = newRunState();
  readonly events: RunEvent[] = [];
  readonly version: Signal<number> = signal(0);
  readonly link: Signal<Link> = signal<Link>("opening");
  private shownAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  get lastSeq(): number | undefined {
    return this.events.at(-1)?.seq;
  }

  /** Taken in slices, so that the journal of a large run does not hold up the page. */
  async take(events: readonly RunEvent[]): Promise<void> {
    let sliceEnd = performance.now() + sliceMs;
    for (const event of events) {
      const last = this.lastSeq;
      if (last !== undefined && event.seq <= last) continue;
      takeEvent(this.state, event);
      this.events.push(event);
      if (performance.now() > sliceEnd) {
        await new Promise((resolve) => setTimeout(resolve));
        sliceEnd = performance.now() + sliceMs;
      }
    }
    this.link.value = "live";
    this.show();
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.link.value = "ended";
    this.version.value++;
  }

  /** At once when it was quiet, then at most a few times a second. */
  private show(): void {
    if (this.timer !== undefined) return;
    const waitMs = this.shownAt + (this.state.steps.size > manySteps ? 1000 : 150) - performance.now();
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.shownAt = performance.now();
        this.version.value++;
      },
      Math.max(0, waitMs),
    );
  }
}

const sliceMs = 8;
const manySteps = 400;

/** Follows a run to its end, again and again from the last event received when the connection is cut. */
export async function followRun(api: Api, run: string, feed: RunFeed, stop: AbortSignal): Promise<void> {
  for (let attempt = 0; !stop.aborted; attempt++) {
    try {
      await api.stream({
        path: `/api/runs/${encodeURIComponent(run)}/events`,
        after: feed.lastSeq,
        signal: stop,
        onEvents: (events) => {
          attempt = 0;
          return feed.take(events);
        },
      });
      return feed.end();
    } catch (thrown) {
      if (stop.aborted) return;
      if (thrown instanceof RefusedByServer && thrown.status < 500) return feed.end();
      feed.link.value = "lost";
      await new Promise((resolve) => setTimeout(resolve, Math.min(8000, 500 * 2 ** attempt)));
    }
  }
}
