/** `cp-1, cp-2 and cp-3`; of many only the first. */
export function listed(names: string[], most = 3): string {
  const shown = names.slice(0, most);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  return shown.length < 2 ? (shown[0] ?? "none") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** `one` for a single thing, else `many`. */
export const either = (count: number, one: string, many: string): string => (count === 1 ? one : many);

/** Why a call failed, without the address that stands beside it anyway. */
export const withoutPlace = (why: string): string =>
  why.replace(/ at https?:\/\/\S+/, "").replace(/^https?:\/\/\S+ /, "");

/** The first line, at most `most` characters of it: evidence, not a log. */
export function short(text: string, most = 120): string {
  const line = text.split("\n")[0]?.trim() ?? "";
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
