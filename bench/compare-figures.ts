import type { Figure } from "./figures.ts";

export type Verdict = "same" | "better" | "worse" | "new" | "gone";

export interface Comparison {
  name: string;
  unit: Figure["unit"];
  before?: number;
  after?: number;
  /** 0.1 is a tenth more than before. */
  change?: number;
  verdict: Verdict;
  /** Absent where there is none. */
  isOverLimit?: boolean;
}

/** Each figure of either run, those of the later one first and in their order. */
export function compareFigures(before: readonly Figure[], after: readonly Figure[]): Comparison[] {
  const old = new Map(before.map((figure) => [figure.name, figure]));
  const known = new Set(after.map(({ name }) => name));
  return [
    ...after.map((figure) => compareOne(old.get(figure.name), figure)),
    ...before
      .filter(({ name }) => !known.has(name))
      .map(({ name, unit, value }): Comparison => ({ name, unit, before: value, verdict: "gone" })),
  ];
}

function compareOne(before: Figure | undefined, { name, unit, value, noise, limit }: Figure): Comparison {
  const over = limit === undefined ? {} : { isOverLimit: value > limit };
  if (!before) return { name, unit, after: value, verdict: "new", ...over };
  const change = changeOf(before.value, value);
  // The noisier of the two says what counts.
  const verdict =
    Math.abs(change) <= Math.max(noise, before.noise) ? "same" : change > 0 ? "worse" : "better";
  return { name, unit, before: before.value, after: value, change, verdict, ...over };
}

/** From nothing to something is as much worse as can be. */
const changeOf = (before: number, after: number): number =>
  before === after ? 0 : before === 0 ? Infinity * Math.sign(after) : (after - before) / Math.abs(before);

const marks: Record<Verdict, string> = { same: " ", better: "+", worse: "!", new: "n", gone: "-" };

/** One line each: the mark, its name, before, after, the change. */
export function renderComparison(rows: readonly Comparison[]): string {
  const cells = rows.map((row) => [
    `${marks[row.verdict]} ${row.name}`,
    shown(row.before, row.unit),
    shown(row.after, row.unit),
    row.change === undefined ? row.verdict : percent(row.change),
    row.isOverLimit === true ? "over its limit" : "",
  ]);
  const table = [["  figure", "before", "after", "change", ""], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const worse = rows.filter(({ verdict }) => verdict === "worse").length;
  const end = worse === 0 ? "nothing got worse beyond noise" : `${worse} got worse beyond noise (!)`;
  return `${lines.join("\n")}\n${end}\n`;
}

export const shown = (value: number | undefined, unit: Figure["unit"]): string => {
  if (value === undefined) return "";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
};

const percent = (change: number): string =>
  Number.isFinite(change) ? `${change > 0 ? "+" : ""}${(change * 100).toFixed(1)} %` : "from nothing";
