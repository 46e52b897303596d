import fs from "node:fs";
import path from "node:path";
import { diskText } from "../../errors/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import { hideFromGit } from "../../secrets/index.ts";
import { journalNotWritten } from "../planning/errors.ts";

/** One run's events on disk, line by line as they are told, so that a crash loses none. */
export interface Journal {
  /** The run's name, unique among the journals of this folder. */
  run: string;
  write(event: RunEvent): void;
  close(): void;
}

export interface JournalOptions {
  /** Called once, with the reason, when the disk takes no more. The run goes on: what it makes is found again without. */
  onFailure?: (why: string) => void;
}

/** Throws before anything is changed where no journal can be kept. */
export async function openJournal(
  folder: string,
  name: string,
  { onFailure }: JournalOptions = {},
): Promise<Journal> {
  const runs = path.join(folder, "runs");
  try {
    await hideFromGit(folder, false);
    fs.mkdirSync(runs, { recursive: true, mode: 0o700 });
    const { run, handle } = openNew(runs, name);
    return { run, write: writerOf(handle, onFailure), close: () => fs.closeSync(handle) };
  } catch (thrown) {
    throw journalNotWritten({ folder, why: diskText(thrown), cause: thrown });
  }
}

/** One line for each event. After a failure the next begins a line of its own, whatever the last one left. */
function writerOf(handle: number, onFailure: JournalOptions["onFailure"]): Journal["write"] {
  let isBroken = false;
  return (event) => {
    const line = Buffer.from(`${isBroken ? "\n" : ""}${JSON.stringify(event)}\n`);
    try {
      for (let written = 0; written < line.length;) written += fs.writeSync(handle, line, written);
    } catch (thrown) {
      const isFirst = !isBroken;
      isBroken = true;
      if (isFirst) onFailure?.(diskText(thrown));
    }
  };
}

/** Two runs within one second get names of their own: the second ends in `b`. */
function openNew(runs: string, name: string): { run: string; handle: number } {
  for (const letter of ["", ...Array.from("bcdefghijklmnopqrstuvwxyz")]) {
    try {
      const run = `${name}${letter}`;
      return { run, handle: fs.openSync(path.join(runs, `${run}.ndjson`), "ax", 0o600) };
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
  }
  throw new Error(`more than 26 runs were started at ${name}`);
}

export interface CutRun {
  run: string;
  at: string;
  ms: number;
}

/** The last run on one of these clusters, if it was stopped or never came to its end. Its writer is gone: we hold the lock. */
export function findCutRun(folder: string, clusters: string[], command: string): CutRun | undefined {
  const runs = path.join(folder, "runs");
  if (!fs.existsSync(runs)) return undefined;
  const files = fs.readdirSync(runs).filter((name) => name.endsWith(".ndjson"));
  for (const name of files.toSorted().toReversed()) {
    const lines = fs.readFileSync(path.join(runs, name), "utf8").trimEnd().split("\n");
    const first = parseLine(lines[0]);
    if (first?.type !== "run" || !first.clusters.some((cluster) => clusters.includes(cluster))) continue;
    if (first.command !== command) return undefined;
    const events = lines.map(parseLine).filter((event) => event !== undefined);
    // Older journals have lines after the last one.
    const last = events.find(({ type }) => type === "done") ?? events.at(-1);
    if (last === undefined || (last.type === "done" && last.outcome !== "stopped")) return undefined;
    return { run: first.run, at: last.at, ms: last.ms };
  }
  return undefined;
}

/** A line cut in the middle by a crash is no event. */
function parseLine(line: string | undefined): RunEvent | undefined {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as RunEvent);
  } catch {
    return undefined;
  }
}
