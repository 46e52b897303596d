import { groupBy } from "../../../lib/index.ts";
import type { PlannedStep } from "../../../plan/index.ts";
import {
  countOf,
  factsOf,
  formatEstimate,
  formatNumber,
  formatRanges,
  listNames,
  longestChainMs,
} from "../../../views/index.ts";
import { blank, line, sentence, type Canvas, type Line } from "../text/line.ts";
import type { PlanInput } from "./plan-input.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";

/** What taking a cluster away removes, and what it leaves. */
export function removalLines(input: PlanInput, canvas: Canvas): Line[] {
  const { steps } = input.plan;
  const kept = [...keepLines(input, canvas), ...loseLines(steps, canvas)];
  if (input.command !== "down")
    return [...removeLines(`${input.cluster}: ${nounCounts(steps)}`, "", aboutMs(steps), canvas), ...kept];
  const machines = steps.filter((step) => step.face.noun === "machine");
  const others = steps.filter((step) => step.face.noun !== "machine");
  const nodes = new Set(machines.map((step) => step.node)).size;
  const stops = input.stops ?? formatNumber(nodes, "node");
  return [
    ...(machines.length > 0 ? machinesLines(machines, canvas) : []),
    ...(others.length > 0 ? removeLines(nounCounts(others), "", 0, canvas) : []),
    ...kept,
    blank,
    ...sentence(`${stopText(stops, nodes)}This cannot be undone.`, canvas),
  ];
}

function stopText(stops: string, nodes: number): string {
  if (nodes === 0) return "";
  return `${stops} ${/^1 [^,]*$/.test(stops) ? "stops" : "stop"}; snapshots go too. `;
}

function machinesLines(machines: PlannedStep[], canvas: Canvas): Line[] {
  const hosts = [...new Set(machines.flatMap((step) => step.host ?? []))];
  const vmids = machines.flatMap((step) => factsOf(step).vmid ?? []);
  const where = hosts.length === 0 ? "" : ` on ${listNames(hosts)}`;
  const what = `${formatNumber(machines.length, "machine")}${where}`;
  return removeLines(what, vmids.length === 0 ? "" : `VMID ${formatRanges(vmids)}`, 0, canvas);
}

function removeLines(what: string, detail: string, usualMs: number, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const time = usualMs > 0 ? `~${formatEstimate(usualMs)}` : "";
  const beside = detail === "" ? what : `${padEnd(what, 25)}     ${detail}`;
  const room = canvas.columns - 11 - (time === "" ? 0 : time.length + 1);
  const fits = widthOf(beside) <= room;
  const texts = fits ? [beside] : [what, detail].filter((text) => text !== "");
  const [first = "", ...more] = texts.flatMap((text) => wrapText(text, room));
  return [
    {
      left: [["bad", `${glyphs.remove} remove`], "   ", first],
      right: time === "" ? undefined : ["dim", time],
    },
    ...more.map((part) => line(" ".repeat(11), part)),
  ];
}

function keepLines(input: PlanInput, canvas: Canvas): Line[] {
  const kept = input.plan.steps.filter((step) => step.keeps !== undefined);
  const disks = kept.filter((step) => keptGiB(step) !== undefined);
  const texts = [keptText(disks, kept, canvas.columns - 11), input.keeps ?? ""].filter((text) => text !== "");
  const names = disks.flatMap((step) => factsOf(step).keptDisks ?? []);
  const [keptIn] = disks.flatMap((step) => factsOf(step).keptIn ?? []);
  const where = keptIn === undefined ? `as ${listNames(names)}` : `in machine ${keptIn}`;
  const below = disks.length === 0 ? "" : `${where}; to lose them too: --with-data`;
  return [
    ...texts.flatMap((text) => {
      const [first = "", ...more] = wrapText(text, canvas.columns - 11);
      return [
        line("  ", ["strong", "keep"], "     ", first),
        ...more.map((part) => line(" ".repeat(11), part)),
      ];
    }),
    ...(below === "" || input.command === "down"
      ? []
      : wrapText(below, canvas.columns - 13).map((part) => line(" ".repeat(13), ["dim", part]))),
  ];
}

/** The worst stands nearest the prompt: what no later run can bring back. */
function loseLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const losing = steps.filter((step) => (factsOf(step).lostDisks ?? 0) > 0);
  if (losing.length === 0) return [];
  const count = losing.reduce((sum, step) => sum + (factsOf(step).lostDisks ?? 0), 0);
  const names = losing.map((step) => step.face.label);
  const text = `${formatNumber(count, "data disk")} of ${listNames(names)}, with all that is on them`;
  const [first = "", ...more] = wrapText(text, canvas.columns - 11);
  return [
    line(["bad", `${style(canvas).glyphs.data} DATA`], "     ", first),
    ...more.map((part) => line(" ".repeat(11), part)),
  ];
}

/** A machine may have data disks that go with it, beside those that stay. */
const keptGiB = (step: PlannedStep): string | undefined => factsOf(step).keptGiB ?? factsOf(step).dataGiB;

function keptText(disks: PlannedStep[], kept: PlannedStep[], width: number): string {
  if (disks.length === 0) return [...new Set(kept.flatMap((step) => step.keeps ?? []))].join(", ");
  const names = disks.map((step) => `${step.node ?? step.title} ${keptGiB(step) ?? ""} GiB`);
  const each = disks.flatMap((step) => keptGiB(step)?.split(" + ") ?? []);
  const count = formatNumber(each.length, "data disk");
  const columns = `${padEnd(count, 24)}${listNames(names)}`;
  return widthOf(columns) <= width ? columns : `${count}: ${listNames(names)}`;
}

/** `5 machines, 5 seeds, 2 images`. */
function nounCounts(steps: readonly PlannedStep[]): string {
  const faces = groupBy(
    steps.map((step) => step.face),
    (face) => face.noun,
  );
  return [...faces.values()].flatMap((alike) => (alike[0] ? countOf(alike[0], alike.length) : [])).join(", ");
}

function aboutMs(steps: readonly PlannedStep[]): number {
  const usual = new Map(steps.map((step) => [step.id, step.usualMs ?? 0]));
  return longestChainMs(steps, (id) => usual.get(id) ?? 0);
}
