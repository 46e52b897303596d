import type { CheckStatus, EventBody } from "../../plan/index.ts";
import { blank, drawLines, hint, line, type Canvas, type Line } from "./line.ts";
import { style, type Glyphs, type Role } from "./style.ts";
import { padEnd, widthOf } from "./text.ts";
import { formatDuration } from "./words.ts";

export type ShownCheck = Pick<
  Extract<EventBody, { type: "check" }>,
  "title" | "status" | "found" | "because" | "error" | "tookMs" | "host" | "node"
>;

const marks: Record<CheckStatus, [Role, keyof Glyphs]> = {
  ok: ["ok", "done"],
  warned: ["warn", "warning"],
  failed: ["bad", "failed"],
  skipped: ["dim", "skipped"],
};

/** The checklist: each check with what it found, and a last line that counts. */
export function renderChecks(checks: readonly ShownCheck[], canvas: Canvas, tookMs?: number): string {
  const { glyphs } = style(canvas);
  const isNarrow = canvas.columns < 60;
  const width = Math.min(32, Math.max(0, ...checks.map((check) => widthOf(titleOf(check)))));
  const lines = checks.map((check): Line => {
    const [role, glyph] = marks[check.status];
    const title: [Role, string] = ["strong", padEnd(titleOf(check), isNarrow ? 0 : width)];
    return {
      left: [[role, glyphs[glyph]], " ", title, "  ", foundWords(check)],
      right: ["dim", formatDuration(check.tookMs)],
    };
  });
  return drawLines([...lines, countLine(checks, tookMs, canvas)], canvas);
}

/** What does not stand in the way and is worth knowing before it is too late. */
export function renderWarnings(checks: readonly Omit<ShownCheck, "tookMs">[], canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const warned = checks.filter((check) => check.status === "warned");
  const lines = warned.flatMap((check): Line[] => [
    blank,
    line(["warn", glyphs.warning], " ", ["strong", titleOf(check)]),
    ...hint("found", foundWords(check), canvas),
  ]);
  return warned.length === 0 ? "" : drawLines(lines, canvas);
}

function countLine(checks: readonly ShownCheck[], tookMs: number | undefined, canvas: Canvas): Line {
  const { glyphs } = style(canvas);
  const counted = checks.filter((check) => check.status !== "skipped");
  const passed = counted.filter((check) => check.status !== "failed").length;
  const [role, glyph] = marks[passed === counted.length ? "ok" : "failed"];
  return {
    left: [[role, glyphs[glyph]], " ", ["strong", `${passed} of ${counted.length} checks passed`]],
    ...(tookMs !== undefined && { right: ["dim", formatDuration(tookMs)] }),
  };
}

const titleOf = ({ title, node, host }: Pick<ShownCheck, "title" | "node" | "host">): string => {
  const place = node ?? host;
  return place === undefined || title.includes(place) ? title : `${title} (${place})`;
};

const foundWords = ({ status, found, because, error }: Omit<ShownCheck, "tookMs">): string =>
  (status === "failed" ? (error?.why ?? found) : found) ?? because ?? "";
