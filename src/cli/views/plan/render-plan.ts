import { groupBy } from "../../../lib/index.ts";
import { clusterOfStep, nameOfStep, type Consequence, type Refusal } from "../../../plan/index.ts";
import { blank, drawLines, hint, line, safeText, wholeLine, type Canvas, type Line } from "../text/line.ts";
import {
  type ChangeRow,
  changeRows,
  formatDuration,
  formatEstimate,
  formatNumber,
} from "../../../views/index.ts";
import { aboutText, firstPlanLines, preflightText } from "./first-plan.ts";
import type { PlanInput } from "./plan-input.ts";
import { removalLines } from "./removal.ts";
import { style, type Role } from "../text/style.ts";
import { cutMiddle, padEnd, widthOf, wrapText, wrapWhole } from "../text/width.ts";

/** What would change, harmless to harmful, and what to type next. */
export const renderPlan = (input: PlanInput, canvas: Canvas): string =>
  drawLines(planLines(ofCluster(input), canvas), canvas);

function planLines(input: PlanInput, canvas: Canvas): Line[] {
  const { steps, refused, same } = input.plan;
  if (steps.length === 0 && refused.length === 0) return nothingToDo(input, canvas);
  const head = [headLine(input, canvas), ...trustLines(input, canvas)];
  const isRemoval = input.isRemoval ?? steps.every((step) => step.action === "remove");
  if (isRemoval && refused.length === 0)
    return [...head, ...removalLines(input, canvas), ...nextLines(input, canvas, "slipway down")];
  if (same === 0 && refused.length === 0 && steps.every((step) => step.action === "create")) {
    const rehearsal = steps.some((step) => step.face.hasNoRehearsal) ? undefined : "slipway rehearse";
    return [...head, ...firstPlanLines(input, canvas), ...nextLines(input, canvas, "slipway up", rehearsal)];
  }
  return [...head, ...changedLines(input, canvas)];
}

/** What the file asks for and nobody should overlook. */
function trustLines({ plan: { steps } }: PlanInput, canvas: Canvas): Line[] {
  const isTrusting = steps.some(
    ({ action, facts }) => action === "create" && facts?.["firstContact"] === "trust",
  );
  if (!isTrusting) return [];
  const text =
    "New nodes are trusted on first contact: any machine that answers first at their addresses gets what is meant for them, including the keys of the cluster.";
  return wrapText(text, canvas.columns).map((part) => line(["warn", part]));
}

/** A plan of several clusters is shown cluster by cluster. */
function ofCluster(input: PlanInput): PlanInput {
  const { steps, refused } = input.plan;
  const isOfOthers = (id: string) => id.includes("/") && clusterOfStep(id) !== input.cluster;
  return {
    ...input,
    plan: {
      ...input.plan,
      steps: steps.filter((step) => step.cluster === input.cluster),
      refused: refused.filter((refusal) => !isOfOthers(refusal.step)),
    },
  };
}

function nothingToDo({ cluster, file, plan, tookMs, command, isRemoval }: PlanInput, canvas: Canvas): Line[] {
  const glyph = style(canvas).glyphs.done;
  const text =
    command === "down" || isRemoval === true
      ? "nothing to remove: no machine carries its tag"
      : `no changes: ${formatNumber(plan.same, "resource")} ${plan.same === 1 ? "is" : "are"} as ${file} says`;
  return [
    {
      left: [["ok", glyph], " ", ["strong", cluster], `   ${text}`],
      right: tookMs === undefined ? undefined : ["dim", formatDuration(tookMs)],
    },
  ];
}

function headLine({ cluster, command, file, readAgoMs }: PlanInput, canvas: Canvas): Line {
  const left: Line["left"] = [["strong", cluster], `   ${command}`];
  const read = `, read ${formatDuration(readAgoMs)} ago`;
  const room = canvas.columns - widthOf(cluster) - widthOf(command) - widthOf(read) - 5;
  if (command === "down" || room < leastFileName) return { left };
  return { left, right: ["dim", `${cutMiddle(file, room, style(canvas).glyphs.cut)}${read}`] };
}

const leastFileName = 12;

function nextLines(input: PlanInput, canvas: Canvas, first: string, second?: string): Line[] {
  if (input.command !== "plan" || isBarred(input)) return [];
  if (second === undefined) return hint("next", first, canvas);
  if (canvas.columns >= 60) return hint("next", `${padEnd(first, 24)}or ${second}`, canvas);
  return [...hint("next", first, canvas), ...hint("else", second, canvas)];
}

/** A failed check says below what to do first. */
const isBarred = ({ checks }: PlanInput): boolean => checks !== undefined && checks.passed < checks.total;

const roles: Record<Consequence, Role> = {
  hot: "ok",
  create: "run",
  disturb: "warn",
  reboot: "warn",
  roll: "warn",
  replace: "bad",
  remove: "bad",
  data: "risk",
};

function changedLines(input: PlanInput, canvas: Canvas): Line[] {
  const { steps, refused } = input.plan;
  const rows = changeRows(steps, refused, input.details ?? false);
  const { checks } = input;
  const warned = checks && checks.passed < checks.total ? preflightText(input).trim() : "";
  return [
    ...(warned === "" ? [] : [line(["warn", warned])]),
    blank,
    ...rows.flatMap((row) => rowLines(row, subjectWidthOf(rows, canvas), canvas)),
    blank,
    ...summaryLines(input, rows, canvas),
    ...afterwards(input, rows, canvas),
  ];
}

const leastSubject = 22;

/** As wide as the longest that something stands beside, as long as that leaves room for it. */
function subjectWidthOf(rows: readonly ChangeRow[], canvas: Canvas): number {
  const widths = rows.filter(({ detail }) => detail !== "").map(({ subject }) => widthOf(subject));
  return Math.min(Math.max(leastSubject, ...widths), Math.floor(canvas.columns * 0.4));
}

function rowLines(row: ChangeRow, subjectWidth: number, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const word = row.word ?? (row.consequence === "data" ? "DATA" : row.consequence);
  const role = roles[row.consequence];
  const mark: Line["left"] = [[role, `${glyphs[row.consequence]} ${padEnd(word, 7)}`], "  "];
  const right: Line["right"] = row.isRefused
    ? ["risk", "refused"]
    : row.usualMs > 0
      ? ["dim", `~${formatEstimate(row.usualMs)}`]
      : undefined;
  const edge = right === undefined ? {} : { right };
  const detail = safeText(row.detail, canvas);
  const notes = row.notes.flatMap(([label, text]) => noteLines(label, text, canvas));
  if (canvas.columns < 60) {
    const below =
      detail === "" ? [] : wrapWhole(detail, canvas.columns - 4).map((part) => wholeLine("    ", part));
    return [{ left: [...mark, ["strong", row.subject]], ...edge }, ...below, ...notes];
  }
  const indent = subjectWidth + 13;
  const room = canvas.columns - indent - 9;
  const subject: Line["left"] = [...mark, ["strong", padEnd(row.subject, subjectWidth)], "  "];
  const [first = "", ...more] = wrapWhole(detail, room);
  return [
    { left: [...subject, first], ...edge },
    ...more.map((part) => wholeLine(" ".repeat(indent), part)),
    ...notes,
  ];
}

function noteLines(label: string, text: string, canvas: Canvas): Line[] {
  const indent = canvas.columns < 60 ? 4 : 13;
  const width = Math.max(8, widthOf(label) + 2);
  return wrapWhole(safeText(text, canvas), canvas.columns - indent - width).map((part, index) =>
    wholeLine(" ".repeat(indent), ["dim", padEnd(index === 0 ? label : "", width)], part),
  );
}

function summaryLines(input: PlanInput, rows: ChangeRow[], canvas: Canvas): Line[] {
  const refused = rows.filter((row) => row.isRefused);
  const running = rows.length - refused.length;
  const count =
    running === 0
      ? "Nothing would run"
      : refused.length > 0
        ? `${running} of ${formatNumber(rows.length, "change")} would run`
        : formatNumber(rows.length, "change");
  const refusedSteps = new Set(input.plan.refused.map((refusal) => refusal.step));
  const about = aboutText(
    input.plan.steps.filter((step) => !refusedSteps.has(step.id)),
    ...rows.filter((row) => !row.isRefused).map((row) => row.usualMs),
  );
  const lost = refused.filter((row) => row.consequence === "data").length;
  const other = refused.length - lost;
  const sentences = [
    `${count}${about}${disturbance(input, rows)}.`,
    lost > 0
      ? `${formatNumber(lost, "change")} would lose data and ${lost === 1 ? "is" : "are"} refused.`
      : "",
    other > 0 ? `${formatNumber(other, "change")} ${other === 1 ? "is" : "are"} refused.` : "",
    input.plan.refused.some(({ holds }) => holds !== undefined)
      ? `Nothing of ${input.cluster} changes while ${refused.length === 1 ? "it is" : "they are"} in the file.`
      : "",
  ];
  return sentences
    .filter((sentence) => sentence !== "")
    .flatMap((sentence) => wrapText(sentence, canvas.columns).map((part) => line(["strong", part])));
}

function disturbance(input: PlanInput, rows: ChangeRow[]): string {
  const running = rows.filter((row) => !row.isRefused);
  const disturbing = running.filter((row) => row.consequence !== "hot" && row.consequence !== "create");
  if (disturbing.length === 0) return running.length > 0 ? ": no node reboots" : "";
  const isDisturbed = disturbing.some((row) => row.consequence === "disturb");
  const namesOf = (...words: Consequence[]) => [
    ...new Set(disturbing.filter((row) => words.includes(row.consequence)).flatMap((row) => row.nodes)),
  ];
  // What goes of a node that is made again is no removal of it.
  const made = new Set(input.plan.steps.filter(({ action }) => action === "create").map(({ node }) => node));
  const restarts = onlyRestarting(input);
  const restarted = restarts.reduce((sum, [, nodes]) => sum + nodes, 0);
  const again = namesOf("replace").filter((name) => made.has(name)).length;
  const rebooting = namesOf("reboot", "roll", "replace").length - restarted - again;
  const removed = namesOf("remove").filter((name) => !made.has(name)).length;
  const parts = [
    rebooting > 0
      ? `${formatNumber(rebooting, "node")} ${rebooting === 1 ? "reboots" : "reboot in turn"}${timesText(disturbing)}`
      : "",
    ...restarts.map(
      ([service, nodes]) =>
        `${service} restarts on ${formatNumber(nodes, "node")}${nodes === 1 ? "" : " in turn"}`,
    ),
    again > 0 ? `${formatNumber(again, "node")} ${again === 1 ? "is made again" : "are made again"}` : "",
    removed > 0 ? `${formatNumber(removed, "node")} ${removed === 1 ? "is removed" : "are removed"}` : "",
    isDisturbed
      ? rebooting > 0
        ? "pods may be interrupted"
        : "no node reboots, pods may be interrupted"
      : "",
    input.doesApiStayUp === true ? "the API stays up" : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}

/** What goes over versions between takes each node away more than once. */
function timesText(rows: ChangeRow[]): string {
  const rolls = rows.filter(({ consequence }) => consequence === "roll");
  const times = new Set(
    [
      ...groupBy(
        rolls.flatMap(({ nodes }) => nodes),
        (node) => node,
      ).values(),
    ].map(({ length }) => length),
  );
  const most = Math.max(0, ...times);
  if (most < 2) return "";
  return `, ${times.size > 1 ? "up to " : ""}${most === 2 ? "twice" : `${most} times`}${times.size > 1 ? "" : " each"}`;
}

/** How many nodes have no more done to them than that a service starts again: pods and machines go on. */
function onlyRestarting({ plan }: PlanInput): [service: string, nodes: number][] {
  const refused = new Set(plan.refused.map((refusal) => refusal.step));
  const disturbing = plan.steps.filter(
    ({ id, consequence }) => !refused.has(id) && ["reboot", "roll", "replace"].includes(consequence),
  );
  const rebooting = new Set(
    disturbing.filter(({ face }) => face.restarts === undefined).map(({ node }) => node),
  );
  const restarting = disturbing.filter(({ node }) => !rebooting.has(node));
  return [...groupBy(restarting, ({ face }) => face.restarts ?? "")].map(([service, steps]) => [
    service,
    new Set(steps.map(({ node }) => node)).size,
  ]);
}

/** What to do, and what else; refusals that share an advice share its line. */
const advice = ({ next, error }: Refusal): string[] =>
  error?.else === undefined ? [next] : [next, error.else];

function afterwards(input: PlanInput, rows: ChangeRow[], canvas: Canvas): Line[] {
  const refused = rows.filter((row) => row.isRefused);
  const running = rows.length - refused.length;
  const lost = input.plan.refused.filter((refusal) => refusal.consequence === "data");
  const others = input.plan.refused.filter((refusal) => refusal.consequence !== "data");
  const flags = lost.map((refusal) => `--accept-data-loss ${nameOfStep(refusal.step)}`).join(" ");
  const choices: [string, string][] = [];
  const isWaiting = input.plan.steps.some((step) => step.waitsUntil !== undefined);
  if (input.command === "plan" && running > 0 && !isBarred(input))
    choices.push([
      ["slipway up", ...(input.upFlags ?? [])].join(" "),
      isWaiting ? "leaves what waits" : refused.length > 0 ? `runs the ${running}` : "",
    ]);
  if (input.command === "plan" && isWaiting) choices.push(["slipway up --outside-window", "does not wait"]);
  if (lost.length > 0) choices.push([`slipway up ${flags}`, `runs all ${running + lost.length}`]);
  for (const next of new Set(others.flatMap(advice))) choices.push([next, ""]);
  const wide = Math.max(33, ...choices.map(([text]) => widthOf(text) + 5));
  const isOneColumn = wide + 11 > canvas.columns - 8;
  return choices.flatMap(([text, effect], index) =>
    hint(
      index === 0 ? "next" : "",
      effect === "" ? text : isOneColumn ? `${text} (${effect})` : `${padEnd(text, wide)}${effect}`,
      canvas,
    ),
  );
}
