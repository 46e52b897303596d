import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatNumber, isRehearsal } from "../../../views/index.ts";
import { moodOf, runsOf, type Mood } from "../data/mood.ts";
import { writeRoute, type Screen } from "../data/route.ts";
import { useStore, type Store } from "../data/store.ts";
import { isGoingOn, useRun } from "../data/use-run.ts";
import { Command } from "./command.tsx";
import { Icon } from "./icon.tsx";
import { ThemeButton } from "./theme-button.tsx";

const tabs: [Screen, string][] = [
  ["run", "Run"],
  ["topology", "Topology"],
  ["plan", "Plan"],
  ["checks", "Checks"],
  ["nodes", "Nodes"],
  ["log", "Log"],
  ["capacity", "Capacity"],
  ["upkeep", "Upkeep"],
  ["runs", "Runs"],
];

/** Which of the tabs a page of one stored run can fill. */
const stored: Screen[] = ["run", "plan", "checks", "nodes", "log"];

/** Name, state, facts, the command for this screen, and the tabs. */
export function ClusterHead({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const { screen, node, query } = store.route.value;
  const status = store.fleet.value?.clusters.find((each) => each.cluster === cluster);
  const mood = useMood(store, cluster);
  const run = query["run"];
  const kept = run === undefined ? {} : { run };
  const shown = useRef<HTMLElement>(null);
  // On a phone not all of them fit.
  useEffect(() => {
    const tab = shown.current?.querySelector<HTMLElement>("[aria-current]");
    if (tab) shown.current?.scrollTo({ left: tab.offsetLeft - innerWidth / 3 });
  }, [screen]);
  return (
    <>
      <div class="crumb">
        {!store.isStored && (
          <>
            <a href={writeRoute({})}>Fleet</a> <span>/</span>
          </>
        )}
        <a href={writeRoute({ cluster, screen: "run" })}>{cluster}</a>
        {node !== undefined && (
          <>
            <span>/</span> <a href={writeRoute({ cluster, screen: "nodes" })}>nodes</a> <span>/</span>{" "}
            <span>{node}</span>
          </>
        )}
      </div>
      <div class="top">
        <h1>{cluster}</h1>
        <span class={`pill ${mood.shape}`}>
          <Icon shape={mood.shape} label={false} />
          {mood.word}
        </span>
        {status && (
          <div class="facts">
            {status.version.split(" · ").map((part) => (
              <span key={part}>{part}</span>
            ))}
            <span>{formatNumber(status.nodes.length, "node")}</span>
          </div>
        )}
        <div class="right">
          <Command text={commandOf(screen, cluster)} />
          <ThemeButton />
        </div>
      </div>
      <nav class="tabs" ref={shown} aria-label={`Screens of ${cluster}`}>
        {tabs
          .filter(([name]) => !store.isStored || stored.includes(name))
          .map(([name, title]) => (
            <a
              key={name}
              href={writeRoute({ cluster, screen: name, query: kept })}
              aria-current={name === screen ? "page" : undefined}
            >
              {title}
            </a>
          ))}
      </nav>
    </>
  );
}

/** Of a page that holds one run, how that run ended. */
function useMood(store: Store, cluster: string): Mood {
  const shown = useRun(cluster);
  const state = shown?.feed.state;
  const status = store.fleet.value?.clusters.find((each) => each.cluster === cluster);
  const known = moodOf(status, runsOf(store.runs.value, cluster)[0]);
  if (
    !shown ||
    !state ||
    (!store.isStored && !isRehearsal(state) && !isGoingOn(shown) && !state.failures.length)
  )
    return known;
  if (isGoingOn(shown))
    return { ...known, shape: "run", word: known.shape === "run" ? known.word : "Running" };
  if (state.done === undefined) return { ...known, shape: "warn", word: "Cut short" };
  const isWell = state.done.outcome === "done" || state.done.outcome === "unchanged";
  if (!store.isStored && isWell) return known;
  if (state.done.outcome === "stopped") return { ...known, shape: "skip", word: "Stopped" };
  return isWell
    ? { ...known, shape: "done", word: isRehearsal(state) ? "Rehearsed" : "Done" }
    : { ...known, shape: "fail", word: "Failed" };
}

function commandOf(screen: Screen, cluster: string): string {
  switch (screen) {
    case "plan":
      return `slipway plan ${cluster}`;
    case "topology":
      return `slipway graph ${cluster}`;
    case "checks":
      return `slipway verify ${cluster}`;
    case "upkeep":
      return `slipway backup list ${cluster}`;
    case "fleet":
    case "capacity":
    case "run":
    case "nodes":
    case "log":
    case "runs":
      return `slipway status ${cluster}`;
  }
}
