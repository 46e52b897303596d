import type { FileHandle } from "node:fs/promises";
import type { Clock } from "../../../lib/index.ts";
import { JournalLines, readEvent } from "./journal-file.ts";
import { isWorking } from "./run-history.ts";

/** One event, and the line it stands in. */
export interface ToldLine {
  seq: number;
  text: string;
}

export interface FollowOptions {
  /** Where locks and journals are kept. */
  folder: string;
  /** What the reader has seen already. */
  after: number;
  /** The wall's: writers are other processes. */
  clock: Clock;
  signal: AbortSignal;
}

const lookEveryMs = 200;
/** How many looks a journal whose run holds no cluster may stay as it is before it counts as cut. */
const looksUntilCut = 5;
/** The same for one without a first line: its run may still be on its way to the locks, on a machine with much to do. */
const looksUntilBegun = 50;

/**
 * The lines of a journal, as far as they are written and then as they come. Ends with the last word of the run, or when its
 * writer is gone; says which. Reads only what its reader takes, so a slow one costs nothing.
 */
export async function* followRun(
  handle: FileHandle,
  { folder, after, clock, signal }: FollowOptions,
): AsyncGenerator<ToldLine[], { isCut: boolean }> {
  const lines = new JournalLines(handle);
  let began: { clusters: string[]; at: string } | undefined;
  let quietLooks = 0;
  let wasGone = false;
  for (;;) {
    const come = await lines.next();
    const told: ToldLine[] = [];
    let isDone = false;
    for (const text of come ?? []) {
      const event = readEvent(text);
      if (!event) continue;
      if (event.type === "run") began ??= event;
      if (event.seq > after) told.push({ seq: event.seq, text });
      isDone = event.type === "done";
      // Older journals have lines after the last one.
      if (isDone) break;
    }
    yield told;
    if (isDone) return { isCut: false };
    if (come) {
      quietLooks = 0;
      wasGone = false;
      continue;
    }
    // At the first quiet moment and again after a while: between its locks and its last word a run holds nothing.
    if (quietLooks % (began ? looksUntilCut : looksUntilBegun) === 0) {
      const isGone = !began || !(await isWorking(folder, began));
      if (isGone && wasGone) return { isCut: true };
      wasGone = isGone;
    }
    quietLooks += 1;
    await clock.sleep(lookEveryMs, signal);
  }
}
