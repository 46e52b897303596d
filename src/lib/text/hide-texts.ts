/** Takes every one of many texts out of another, whatever the case of its letters, in one pass. */
export type HideTexts = (text: string, instead: string) => string;

const windowLength = 4;
const tableSize = 1 << 16;

/**
 * Logs are long and most of them hold nothing: a table of the first letters of all texts says for nearly every place at
 * once that none begins there.
 */
export function hideTexts(texts: Iterable<string>): HideTexts {
  const byStart = new Map<number, string[]>();
  const table = new Uint8Array(tableSize);
  for (const text of texts) {
    if (text.length < windowLength) continue;
    const start = startOf(text);
    table[start] = 1;
    const known = byStart.get(start) ?? [];
    known.push(text);
    byStart.set(start, known);
  }
  // The longest first: what is left of it would be half a secret.
  for (const known of byStart.values()) known.sort((a, b) => b.length - a.length);

  return (text, instead) => {
    const parts: string[] = [];
    let from = 0;
    let start = 0;
    for (let end = 0; end < text.length; end += 1) {
      start = next(start, text.charCodeAt(end));
      const at = end + 1 - windowLength;
      if (table[start] === 0 || at < from) continue;
      const found = byStart.get(start)?.find((known) => isAt(text, at, known));
      if (found === undefined) continue;
      parts.push(text.slice(from, at), instead);
      from = at + found.length;
    }
    return parts.length === 0 ? text : `${parts.join("")}${text.slice(from)}`;
  };
}

/** Four letters of four bits each fill the table: the fifth pushes the first one out. */
const next = (start: number, code: number): number => ((start << 4) ^ folded(code)) & (tableSize - 1);

function startOf(text: string): number {
  let start = 0;
  for (let index = 0; index < windowLength; index += 1) start = next(start, text.charCodeAt(index));
  return start;
}

function isAt(text: string, at: number, known: string): boolean {
  if (at + known.length > text.length) return false;
  for (let index = 0; index < known.length; index += 1)
    if (folded(text.charCodeAt(at + index)) !== folded(known.charCodeAt(index))) return false;
  return true;
}

/** ASCII only: others may change their length with their case. */
const folded = (code: number): number => (code >= 65 && code <= 90 ? code | 32 : code);
