import { onlyCause, type CheckStatus, type EventBody } from "../../../plan/index.ts";
import { blank, drawLines, hint, line, type Canvas, type Line, type Span } from "../text/line.ts";
import { formatDuration, formatNumber, problemTitle } from "../../../views/index.ts";
import { style, type Glyphs, type Role } from "../text/style.ts";
import { padEnd, widthOf } from "../text/width.ts";

type Check = Extract<EventBody, { type: "check" }>;
export type ShownCheck = Pick<
  Check,
  "id" | "title" | "status" | "found" | "because" | "error" | "nodes" | "tookMs" | "host" | "node"
>;

const marks: Record<CheckStatus, [Role, keyof Glyphs]> = {
  ok: ["ok", "done"],
  warned: ["warn", "warning"],
  failed: ["bad", "failed"],
  skipped: ["dim", "skipped"],
};

/** As wide as the longest title there usually is; lists grow line by line, so it must be known before. */
const titleWidth = 30;

/** One line of the checklist: what holds, what was found, how long it took. */
export function checkLine(check: ShownCheck, canvas: Canvas): Line {
  const { glyphs } = style(canvas);
  const [role, glyph] = marks[check.status];
  const width = canvas.columns < 60 ? 0 : titleWidth;
  return {
    left: [[role, glyphs[glyph]], " ", ["strong", padEnd(titleOf(check), width)], "  ", foundText(check)],
    right: ["dim", formatDuration(check.tookMs)],
  };
}

export interface CountFacts {
  /** Whose checks they are, where there are several. */
  cluster?: string | undefined;
  /** What to do when not all passed. */
  next: string;
  tookMs: number;
}

/** The answer: how many of how many, what they have in common, and what to do next. */
export function countLines(checks: readonly ShownCheck[], facts: CountFacts, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const isAbove = ({ because }: ShownCheck) => checks.some(({ id }) => id === because);
  const counted = checks.filter((check) => check.status !== "skipped" || isAbove(check));
  const passed = counted.filter((check) => check.status === "ok").length;
  const warned = counted.filter((check) => check.status === "warned").length;
  const isBad = counted.some(({ status }) => status === "failed");
  const [role, glyph] = marks[isBad ? "failed" : warned > 0 ? "warned" : "ok"];
  const cause = isBad ? onlyCause([...checks]) : undefined;
  const text = [
    facts.cluster === undefined ? "" : `${facts.cluster}: `,
    `${passed} of ${counted.length} checks passed`,
    isBad || warned === 0 ? "" : `, ${formatNumber(warned, "warning")}`,
    cause === undefined ? "" : `, one cause: ${cause}`,
  ].join("");
  const right: Span = ["dim", formatDuration(facts.tookMs)];
  const beside = `      next  ${facts.next}`;
  const isWide = widthOf(`x ${text}${beside} ${formatDuration(facts.tookMs)}`) <= canvas.columns;
  const answer: Line = {
    left: [[role, glyphs[glyph]], " ", ["strong", text], isBad && isWide ? beside : ""],
    right,
  };
  return [answer, ...(isBad && !isWide ? hint("next", facts.next, canvas) : [])];
}

/** What does not stand in the way and is worth knowing before it is too late. */
export function renderWarnings(checks: readonly Omit<ShownCheck, "tookMs" | "id">[], canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const warned = checks.filter((check) => check.status === "warned");
  const lines = warned.flatMap((check): Line[] => [
    blank,
    line(["warn", glyphs.warning], " ", ["strong", titleOf({ ...check, title: problemTitle(check) })]),
    ...hint("found", foundText(check), canvas),
  ]);
  return warned.length === 0 ? "" : drawLines(lines, canvas);
}

const titleOf = ({ title, node, host }: Pick<ShownCheck, "title" | "node" | "host">): string => {
  const place = node ?? host;
  return place === undefined || title.includes(place) ? title : `${title} (${place})`;
};

const foundText = ({ found, because, error }: Pick<ShownCheck, "found" | "because" | "error">): string =>
  found ?? error?.why ?? because ?? "";
