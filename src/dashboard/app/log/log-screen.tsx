import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useRun } from "../data/use-run.ts";
import { useStore } from "../data/store.ts";
import { copyText } from "../parts/command.tsx";
import { countText, filters, lineOf, passes, type Filter } from "./event-line.ts";
import { LogLines } from "./log-lines.tsx";

const titles: Record<Filter, string> = {
  all: "All",
  waits: "Waits",
  problems: "Problems",
  calls: "API calls",
};

/** What happened exactly, newest first. */
export function LogScreen({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const route = store.route.value;
  const shown = useRun(cluster);
  const filter = filters.find((name) => name === route.query["show"]) ?? "all";
  const search = (route.query["q"] ?? "").toLowerCase();
  const [copied, setCopied] = useState("");
  const version = shown?.feed.version.value;
  const events = useMemo(() => {
    if (!shown) return [];
    const { events: all, state } = shown.feed;
    const isFound = (text: string): boolean => text.toLowerCase().includes(search);
    return all
      .filter((event) => passes(event, filter))
      .filter((event) => {
        if (search === "") return true;
        const line = lineOf(event, state);
        return isFound(`${event.type} ${line.about} ${line.text}`);
      })
      .toReversed();
  }, [shown?.feed, version, filter, search]);
  if (!shown) return <div class="panel empty">No run of {cluster} is recorded here.</div>;
  const copy = async (): Promise<void> => {
    const text = events.toReversed().map((event) => `${JSON.stringify(event)}\n`);
    setCopied((await copyText(text.join(""))) ? "Copied" : "The browser does not allow it");
    setTimeout(() => setCopied(""), 2000);
  };
  return (
    <section class="panel">
      <header>
        <h2>Events</h2>
        <span class="mute num">
          {countText(events.length, shown.feed.events.length)}, newest first
          {shown.feed.link.value === "live" ? ", following" : ""}
        </span>
        <div class="bar-of-filters">
          <input
            class="field"
            type="search"
            data-search
            aria-label="Search the events"
            placeholder="Search ( / )"
            value={route.query["q"] ?? ""}
            onInput={(event) => store.setQuery({ q: event.currentTarget.value })}
          />
          {filters.map((name) => (
            <button
              key={name}
              type="button"
              class="toggle"
              aria-pressed={name === filter}
              onClick={() => store.setQuery({ show: name === "all" ? "" : name })}
            >
              {titles[name]}
            </button>
          ))}
          <button type="button" class="toggle" onClick={() => void copy()}>
            {copied || "Copy as NDJSON"}
          </button>
        </div>
      </header>
      {events.length === 0 ? (
        <p class="empty">No event passes this filter.</p>
      ) : (
        <LogLines events={events} state={shown.feed.state} />
      )}
    </section>
  );
}
