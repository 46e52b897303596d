import { messageIn } from "./journal-line.ts";

/**
 * What was written after `before` had been read. Both are the end of one journal, so the newer begins somewhere within the
 * older: the earliest place counts, for a service in a loop writes the same lines again and again.
 */
export function linesSince(before: readonly string[], now: readonly string[]): string[] {
  for (let gone = 0; gone < before.length; gone++) {
    const kept = before.slice(gone);
    if (kept.length <= now.length && kept.every((line, index) => line === now[index]))
      return now.slice(kept.length);
  }
  return [...now];
}

/** The message of a line as a person sees it: in one row, and not all of it where it is long. */
export function plainLine(line: string): string {
  const text = messageIn(line).replaceAll(/\s+/g, " ").trim();
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

const longest = 160;
