/** How quantities, counts and lists are worded. */

/** `43 ms`, `0.4s`, `9.8s`, `38s`, `1m 12s`, `2h 05m`, `3d`. */
export function formatDuration(ms: number): string {
  const known = Math.max(0, Number.isFinite(ms) ? ms : 0);
  if (known > 0 && known < 99.5) return `${Math.round(known)} ms`;
  if (known < 9950) return `${(known / 1000).toFixed(1)}s`;
  return formatElapsed(known);
}

/** The same for a clock that still runs: whole seconds, so that only one thing moves. */
export function formatElapsed(ms: number): string {
  const seconds = Math.round(Math.max(0, Number.isFinite(ms) ? ms : 0) / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, "m", seconds % 60, "s");
  const wholeMinutes = Math.round(seconds / 60);
  const hours = Math.floor(wholeMinutes / 60);
  if (hours < 24) return twoUnits(hours, "h", wholeMinutes % 60, "m");
  return `${Math.round(seconds / 86_400)}d`;
}

/** A forecast: from three minutes on nobody wants its seconds. */
export function formatEstimate(ms: number): string {
  if (ms < 170_000) return formatElapsed(ms);
  return formatElapsed(Math.round(ms / 60_000) * 60_000);
}

/** `38.3s`: what log lines use, so that a script can add them up. */
export const formatSeconds = (ms: number): string =>
  ms < 59_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : formatElapsed(ms);

const twoUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${String(small).padStart(2, "0")}${smallUnit}`;

const sizeUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

function unitFor(bytes: number): { unit: string; divisor: number } {
  let index = 0;
  while (index < sizeUnits.length - 1 && bytes >= 1000 * 1024 ** index) index++;
  return { unit: sizeUnits[index] ?? "B", divisor: 1024 ** index };
}

function inUnit(bytes: number, divisor: number): string {
  const value = bytes / divisor;
  return divisor === 1 || value >= 9.95 ? String(Math.round(value)) : value.toFixed(1);
}

/** `1.3 GiB`, `44 MiB`, `512 B`. */
export function formatBytes(bytes: number): string {
  const { unit, divisor } = unitFor(Math.max(0, bytes));
  return `${inUnit(Math.max(0, bytes), divisor)} ${unit}`;
}

/** `0.5 of 1.3 GiB`: both in the unit of the whole. */
export function formatBytesOf(done: number, total: number): string {
  const { unit, divisor } = unitFor(total);
  return `${inUnit(done, divisor)} of ${inUnit(total, divisor)} ${unit}`;
}

/** `4 GiB` for 4096; `1.5 GiB` for 1536; `512 MiB`. */
export function formatMiB(mib: number): string {
  if (mib < 1024) return `${mib} MiB`;
  const gib = mib / 1024;
  return `${Number.isInteger(gib) || gib >= 10 ? Math.round(gib) : gib.toFixed(1)} GiB`;
}

/** `4 of 6`. */
export const formatCount = (done: number, total: number): string => `${done} of ${total}`;

/** `1 machine`, `6 machines`. */
export const formatNumber = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** `cp-1, cp-2, cp-3 and 4 more`. */
export function listNames(names: readonly string[], most = 3): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** `cp-1, cp-2 and cp-3`, for the inside of a sentence. */
export function joinNames(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

/** `2010-2012, 3010-3011`. */
export function formatRanges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].toSorted((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const number of sorted) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

/** First letter small, unless the word is a name like API. */
export const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
