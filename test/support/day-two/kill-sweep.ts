import { expect } from "vitest";
import type { EventBody } from "../../../src/plan/index.ts";
import { cutRun, type Cut } from "../sim/cut-run.ts";
import { runningSite } from "../sim/rehearsal-site.ts";
import { watchInvariants } from "../sim/watch-invariants.ts";
import { isWrite, type Story } from "./story.ts";

/** Where a sweep kills, of all places that it comes to. */
export interface Kills {
  /** Of these only. Left out: of all. */
  at?: RegExp;
  /** Every n-th of them; each when left out. */
  every?: number;
}

/**
 * A story whose runs are killed at each event and at each kind of call that changes something, before and after it is carried
 * out: each place once, one place per run. The next run goes on from there, so a leg that has fifty such places is killed fifty
 * times before it comes to its end; none of its runs may fail, and the cluster does its work throughout.
 */
export async function killSweep(story: Story, kills: Kills = {}): Promise<{ places: string[] }> {
  await using site = await runningSite(story.fleet, story.options);
  await story.prepare?.(site);
  const cut = cutsOf(kills);
  for (const leg of story.legs) {
    await leg.before?.(site);
    const watch = watchInvariants(site);
    const trail: string[] = [];
    for (;;) {
      const { events, runReport } = await cutRun(site, (world) => leg.run(world), cut);
      trail.push(cut.last());
      const when = `${story.title}, ${leg.title}: ${runReport ? "" : "killed"} after ${trail.slice(-4).join(" | ")}`;
      expect(failuresIn(events), when).toEqual([]);
      expect([...watch.broken], when).toEqual([]);
      if (!runReport) continue;
      expect(runReport.error, when).toBeUndefined();
      expect(["done", "unchanged"], when).toContain(runReport.outcome);
      break;
    }
    expect(watch.end(), `${story.title}, ${leg.title}`).toEqual([]);
    await leg.after(site);
  }
  return { places: cut.places() };
}

const failuresIn = (events: EventBody[]): string[] =>
  events.flatMap((event) =>
    event.type === "failed" || (event.type === "check" && event.status === "failed")
      ? [`${event.type === "failed" ? event.step : event.id}: ${event.error?.code} ${event.error?.why}`]
      : [],
  );

function cutsOf({ at = /./, every = 1 }: Kills): Required<Cut> & { last(): string; places(): string[] } {
  const seen = new Set<string>();
  const killed: string[] = [];
  const isNew = (place: string): boolean => {
    if (seen.has(place) || !at.test(place)) return false;
    seen.add(place);
    if (seen.size % every !== 0) return false;
    killed.push(place);
    return true;
  };
  return {
    atEvent: (event) => isNew(placeOf(event)),
    atCall(call) {
      if (!isWrite(call)) return undefined;
      if (isNew(`before ${call}`)) return "before";
      return isNew(`after ${call}`) ? "after" : undefined;
    },
    last: () => killed.at(-1) ?? "nothing",
    places: () => killed,
  };
}

/** The same for what is told again by the next run; checks and lines of text are one place each. */
function placeOf(event: EventBody): string {
  if (event.type === "waiting") return `waiting ${event.step} for ${event.what}`;
  return "step" in event && event.type !== "log" ? `${event.type} ${event.step}` : event.type;
}
