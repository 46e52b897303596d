import type { Finding } from "../../../plan/index.ts";
import { problemTitle } from "../../../views/index.ts";
import { drawLines, line, marked, type Canvas, type Line } from "../text/line.ts";
import { style } from "../text/style.ts";

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
      ...failed.map((check): Line =>
        line(["bad", glyphs.failed], " ", ["strong", titleOf(check)], factsOf(check)),
      ),
      ...warned.map((check): Line =>
        line(["warn", glyphs.warning], " ", ["strong", titleOf(check)], factsOf(check)),
      ),
      ...marked(
        ["bad", glyphs.failed],
        `${asked.length - failed.length} of ${asked.length} preflight checks passed${unasked}; nothing was changed`,
        canvas,
      ),
    ],
    canvas,
  );
}

const titleOf = (check: PreflightCheck): string =>
  check.host === undefined ? problemTitle(check) : `${problemTitle(check)} (${check.host})`;

function factsOf({ needed, found }: PreflightCheck): string {
  const facts = [...(needed ? [`needs ${needed}`] : []), ...(found ? [`found ${found}`] : [])];
  return facts.length === 0 ? "" : `  ${facts.join(", ")}`;
}
