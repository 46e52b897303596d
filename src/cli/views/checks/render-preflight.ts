import type { Finding } from "../../../plan/index.ts";
import { problemTitle } from "../../../views/index.ts";
import { drawLines, line, marked, type Canvas, type Line, type Span } from "../text/line.ts";
import { style } from "../text/style.ts";
import { widthOf } from "../text/width.ts";

export interface PreflightCheck extends Pick<Finding, "status" | "needed" | "found"> {
  title: string;
  failing?: string;
  host?: string;
}

/** The checks that did not pass, with what they need and what they found; a last line counts all of them. */
export function renderPreflight(checks: readonly PreflightCheck[], canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const asked = checks.filter((check) => check.status !== "skipped");
  const failed = asked.filter((check) => check.status === "failed");
  const warned = asked.filter((check) => check.status === "warned");
  const left = checks.length - asked.length;
  const unasked = left === 0 ? "" : `, ${left} skipped because of them`;
  return drawLines(
    [
      ...failed.flatMap((check) => checkLines(["bad", glyphs.failed], check, canvas)),
      ...warned.flatMap((check) => checkLines(["warn", glyphs.warning], check, canvas)),
      ...marked(
        ["bad", glyphs.failed],
        `${asked.length - failed.length} of ${asked.length} preflight checks passed${unasked}; nothing was changed`,
        canvas,
      ),
    ],
    canvas,
  );
}

/** What was found stands nowhere else for a warning, so where it does not fit beside the title it stands below. */
function checkLines(sign: Span, check: PreflightCheck, canvas: Canvas): Line[] {
  const [title, facts] = [titleOf(check), factsOf(check)];
  const head: Span[] = [sign, " ", ["strong", title]];
  if (facts === "") return [line(...head)];
  const isBeside = widthOf(`${title}  ${facts}`) + 2 <= canvas.columns;
  return isBeside ? [line(...head, `  ${facts}`)] : [line(...head), ...marked(" ", facts, canvas)];
}

const titleOf = (check: PreflightCheck): string =>
  check.host === undefined ? problemTitle(check) : `${problemTitle(check)} (${check.host})`;

function factsOf({ needed, found }: PreflightCheck): string {
  const facts = [...(needed ? [`needs ${needed}`] : []), ...(found ? [`found ${found}`] : [])];
  return facts.join(", ");
}
