/** `5s`, `3m20s`, `47m`, `5h12m`, `2d`: how kubectl tells ages, with fewer figures the older a thing is. */
export function ageOf(stamp: string | undefined, nowMs: number): string {
  const from = Date.parse(stamp ?? "");
  if (Number.isNaN(from)) return "<unknown>";
  const seconds = Math.max(0, Math.floor((nowMs - from) / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (days < 8) return pair(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  return `${Math.floor(days / 365)}y${days % 365}d`;
}

const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
