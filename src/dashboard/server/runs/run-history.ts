import type { FileHandle } from "node:fs/promises";
import { lockHolder } from "../../../operations/index.ts";
import type { EventBody, RunEvent } from "../../../plan/index.ts";
import type { RunSummary } from "../../protocol.ts";
import { JournalLines, lastLines, openRun, readEvent, runNames } from "./journal-file.ts";

/** The runs that a folder remembers. */
export interface RunHistory {
  /** Newest first. */
  list(): Promise<RunSummary[]>;
  find(run: string): Promise<RunSummary | undefined>;
}

/** Older ones are found by their name. */
const mostListed = 200;

export function runHistory(folder: string): RunHistory {
  // A journal that has its last line does not change any more.
  const ended = new Map<string, RunSummary>();
  const find = async (run: string): Promise<RunSummary | undefined> => {
    const known = ended.get(run);
    if (known) return known;
    const summary = await summarize(folder, run);
    if (summary?.outcome !== undefined && summary.outcome !== "cut") ended.set(run, summary);
    return summary;
  };
  return {
    find,
    async list() {
      const names = (await runNames(folder)).slice(0, mostListed);
      const found: RunSummary[] = [];
      // One after the other: two hundred open files at once are too many on some systems.
      for (const name of names) {
        const summary = await find(name);
        if (summary) found.push(summary);
      }
      return found;
    },
  };
}

async function summarize(folder: string, run: string): Promise<RunSummary | undefined> {
  const handle = await openRun(folder, run);
  if (!handle) return undefined;
  try {
    const first = await firstEvent(handle);
    if (!first || !isWellFormed(first)) return undefined;
    const { command, clusters, world, at: startedAt } = first;
    // Before its last lines are read: a run lets go of its clusters, then says its last word.
    const isLive = await isWorking(folder, first);
    const last = (await lastLines(handle)).map(readEvent).filter((event) => event !== undefined);
    const done = last.find((event) => event.type === "done" && outcomes.has(event.outcome));
    const ending = done?.type === "done" ? endingOf(done) : cutAt(isLive, last[0]);
    return { run, command, clusters, world, startedAt, ...ending };
  } finally {
    await handle.close();
  }
}

type FirstEvent = RunEvent & Extract<EventBody, { type: "run" }>;

/** Warnings may come before it. */
async function firstEvent(handle: FileHandle): Promise<FirstEvent | undefined> {
  const lines = (await new JournalLines(handle).next()) ?? [];
  return lines.map(readEvent).find((event): event is FirstEvent => event?.type === "run");
}

const isWellFormed = ({ command, clusters, world }: FirstEvent): boolean =>
  typeof command === "string" &&
  Array.isArray(clusters) &&
  clusters.every((name) => typeof name === "string") &&
  (world === "real" || world === "rehearsal");

const outcomes = new Set<unknown>(["done", "unchanged", "failed", "stopped", "refused"]);

type Ending = Pick<RunSummary, "outcome" | "tookMs">;

const endingOf = ({ outcome, tookMs }: Extract<EventBody, { type: "done" }>): Ending => ({
  ...{ outcome, tookMs },
});

const cutAt = (isLive: boolean, last: RunEvent | undefined): Ending =>
  isLive ? {} : { outcome: "cut", tookMs: last?.ms };

/** Names of clusters in a journal lead to files, so they have to be names. */
const nameShape = /^[a-z0-9][a-z0-9-]*$/;

/** Whether the run that began so still holds one of its clusters. Later runs on the same ones hold them since later. */
export async function isWorking(
  folder: string,
  { clusters, at }: Pick<FirstEvent, "clusters" | "at">,
): Promise<boolean> {
  const names = clusters.filter((name) => nameShape.test(name));
  const holders = await Promise.all(names.map((name) => lockHolder(folder, name)));
  return holders.some((holder) => holder !== undefined && holder.since <= at);
}
