/** Names that count up: `talos-cp-{01}` is talos-cp-01, talos-cp-02 and so on. */
export interface NameSeries {
  before: string;
  /** The number of the first node. */
  first: number;
  /** Shorter numbers are filled up with zeros. */
  digits: number;
}

/** Digits in braces stand at the end, where everybody looks for a node's number. */
export function parseNameSeries(text: string): NameSeries | undefined {
  const found = /^([^{}]*)\{(\d{1,4})\}$/.exec(text);
  if (!found) return undefined;
  const [, before = "", number = ""] = found;
  return { before, first: Number(number), digits: number.length };
}

/** Of the node with this number, counted from 1. */
export const nameInSeries = ({ before, first, digits }: NameSeries, number: number): string =>
  `${before}${String(first + number - 1).padStart(digits, "0")}`;
