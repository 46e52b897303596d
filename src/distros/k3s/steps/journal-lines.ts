import { messageIn } from "../journal-line.ts";

/** What was written after `before` had been read; all of it where nothing of that is found any more. */
export function linesSince(before: readonly string[], now: readonly string[]): string[] {
  const known = before.slice(-3);
  if (known.length === 0) return [...now];
  for (let end = now.length; end >= known.length; end--) {
    const start = end - known.length;
    if (known.every((line, index) => now[start + index] === line)) return now.slice(end);
  }
  return [...now];
}

/** The message of a line as a person sees it: in one row, and not all of it where it is long. */
export function plainLine(line: string): string {
  const text = messageIn(line).replaceAll(/\s+/g, " ").trim();
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

const longest = 160;
