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

/** The message of a line, without the time and the level that K3s writes before it. */
export function plainLine(line: string): string {
  const [, quoted] = /\bmsg="((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  const text =
    quoted?.replaceAll(/\\(["\\])/g, "$1") ?? line.replace(/^[IWEF]\d{4} [\d:.]+\s+\d+ \S+\] /, "");
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

const longest = 160;
