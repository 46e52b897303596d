import { groupBy } from "../../../lib/index.ts";
import type { PlanLine, PlannedStep } from "../../../plan/index.ts";
import { blank, line, type Canvas, type Line } from "../text/line.ts";
import {
  factsOf,
  formatEstimate,
  formatNumber,
  formatRanges,
  listNames,
  longestChainMs,
  sharedFact,
} from "../../../views/index.ts";
import { machineTable } from "./machines.ts";
import type { PlanInput } from "./plan-input.ts";
import { style } from "../text/style.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";

/** A plan for a cluster of which nothing exists yet: what will be there. */
export function firstPlanLines(input: PlanInput, canvas: Canvas): Line[] {
  const { steps } = input.plan;
  return [
    ...wrapText(`Nothing of ${input.cluster} exists yet.${preflightText(input)}`, canvas.columns).map(
      (part) => line(part),
    ),
    blank,
    ...imageLines(steps, canvas),
    ...templateLines(steps, canvas),
    ...machineLines(steps, input.details ?? false, canvas),
    ...clusterLines(steps, canvas),
    ...otherLines(steps, canvas),
    ...memoryLines(input, canvas),
    blank,
    ...wrapText(
      `${formatNumber(steps.length, "step")} to create${aboutText(steps)}. ${touchedText(steps)}`,
      canvas.columns,
    ).map((part) => line(["strong", part])),
  ];
}

/** What was on a disk before is gone once a system is installed on it. */
function touchedText(steps: readonly PlannedStep[]): string {
  const erased = steps.filter((step) => factsOf(step).erases !== undefined).length;
  if (erased === 0) return "Nothing existing is touched.";
  return `The disk of ${formatNumber(erased, "machine")} is written over; nothing else that exists is touched.`;
}

export function preflightText({ checks }: PlanInput): string {
  return checks === undefined ? "" : ` Preflight: ${checks.passed} of ${checks.total} checks passed.`;
}

/**
 * `, about 3m`, when anything is known about how long these steps take. `parts` are at least so long each: nodes that
 * restart one after the other have no edges between them.
 */
export function aboutText(steps: readonly PlannedStep[], ...parts: number[]): string {
  const usual = new Map(steps.map((step) => [step.id, step.usualMs ?? 0]));
  const ms = Math.max(
    longestChainMs(steps, (id) => usual.get(id) ?? 0),
    ...parts,
  );
  return ms > 0 ? `, about ${formatEstimate(ms)}` : "";
}

function createLines(what: string, detail: string, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const name = padEnd(what, 10);
  const indent = 12 + widthOf(name);
  const [first = "", ...more] = wrapText(detail, canvas.columns - indent);
  return [
    line(["run", `${glyphs.create} create`], "  ", ["strong", name], "  ", first),
    ...more.map((part) => line(" ".repeat(indent), part)),
  ];
}

function imageLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const images = steps.filter((step) => step.face.noun === "image");
  if (images.length === 0) return [];
  const schematic = sharedFact(images, "schematic");
  const sizeGiB = sharedFact(images, "sizeGiB");
  const parts = [
    sharedFact(images, "image") ?? "",
    schematic === undefined ? "" : `schematic ${schematic.slice(0, 12)}`,
    sizeGiB === undefined ? "" : `${sizeGiB} GiB${images.length > 1 ? " on each host" : ""}`,
  ];
  const detail = parts.filter((part) => part !== "").join(", ");
  return createLines(formatNumber(images.length, "image"), detail || hostText(images), canvas);
}

function templateLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const templates = steps.filter((step) => step.face.noun === "template");
  if (templates.length === 0) return [];
  const vmids = templates.flatMap((step) => factsOf(step).vmid ?? []);
  const detail = `one per role${templates.length > 2 ? " and host" : ""}, VMID ${formatRanges(vmids)}`;
  return createLines(formatNumber(templates.length, "template"), detail, canvas);
}

/** `clones of templates 9000, 9100`; machines copied from the image need no word. */
function bootSourceText(machines: readonly PlannedStep[]): string {
  const ways = [...new Set(machines.flatMap((step) => factsOf(step).from ?? []))];
  const [only] = ways;
  if (only === undefined) return "";
  if (only.startsWith("ISO")) return `installed from an ${only}`;
  const templates = ways.map((way) => Number(/\d+$/.exec(way)?.[0] ?? 0));
  const kind = /^(?:linked|full) /.exec(only)?.[0] ?? "";
  const noun = machines.length === 1 ? "clone" : "clones";
  return `${kind}${noun} of ${templates.length === 1 ? "template" : "templates"} ${formatRanges(templates)}`;
}

function machineLines(steps: readonly PlannedStep[], showsAll: boolean, canvas: Canvas): Line[] {
  const machines = steps.filter((step) => step.face.noun === "machine");
  const made = machines.filter((step) => factsOf(step).power === undefined);
  const there = machines.filter((step) => factsOf(step).power !== undefined);
  return [...madeLines(made, showsAll, canvas), ...thereLines(there, showsAll, canvas)];
}

/** Machines that exist already: who switches them on is said, since it may be a person. */
function thereLines(machines: readonly PlannedStep[], showsAll: boolean, canvas: Canvas): Line[] {
  if (machines.length === 0) return [];
  const byPower = groupBy(machines, (step) => factsOf(step).power ?? "");
  const power = [...byPower].map(([by, some]) =>
    byPower.size === 1 ? by : `${by} ${listNames(some.flatMap((step) => step.node ?? []))}`,
  );
  const { glyphs } = style(canvas);
  const what = padEnd(formatNumber(machines.length, "machine"), 10);
  return [
    line(
      ["run", `${glyphs.create} take`],
      "    ",
      ["strong", what],
      "  ",
      `${hostText(machines)}, there already; switched on ${power.join(", ")}`,
    ),
    ...machineTable(machines, showsAll, canvas),
    ...erasedLines(machines, canvas),
  ];
}

function erasedLines(machines: readonly PlannedStep[], canvas: Canvas): Line[] {
  const disks = machines.flatMap((step) => {
    const { erases } = factsOf(step);
    return erases === undefined ? [] : [`${step.node ?? ""} ${erases}`];
  });
  if (disks.length === 0) return [];
  const [first = "", ...more] = wrapText(listNames(disks, 6), canvas.columns - 19);
  return [
    line("    ", ["warn", "written over"], "   ", first),
    ...more.map((part) => line(" ".repeat(19), part)),
  ];
}

function madeLines(machines: readonly PlannedStep[], showsAll: boolean, canvas: Canvas): Line[] {
  if (machines.length === 0) return [];
  const vlan = sharedFact(machines, "vlan");
  const parts = [
    hostText(machines),
    bootSourceText(machines),
    ...plugText(machines),
    vlan === undefined ? "" : `VLAN ${vlan}`,
  ];
  return [
    ...createLines(
      formatNumber(machines.length, "machine"),
      parts.filter((part) => part !== "").join(", "),
      canvas,
    ),
    ...machineTable(machines, showsAll, canvas),
  ];
}

/** What the machines are plugged into. */
function plugText(machines: readonly PlannedStep[]): string[] {
  const words = { bridge: "bridge", network: "network", macvtap: "macvtap on" } as const;
  const kinds = Object.keys(words) as (keyof typeof words)[];
  return kinds.flatMap((kind) => {
    const name = sharedFact(machines, kind);
    return name === undefined ? [] : [`${words[kind]} ${name}`];
  });
}

function hostText(steps: readonly PlannedStep[]): string {
  const hosts = [...new Set(steps.flatMap((step) => step.host ?? []))];
  if (hosts.length === 0) return "";
  return hosts.length === 1 ? `on ${hosts[0] ?? ""}` : `spread over ${hosts.length} hosts`;
}

function clusterLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const kubernetes = sharedFact(steps, "kubernetes");
  const endpoint = sharedFact(steps, "endpoint");
  if (kubernetes === undefined && endpoint === undefined) return [];
  const address = endpoint === undefined ? "" : hostOf(endpoint);
  const isVip = sharedFact(steps, "vip") === address;
  const parts = [
    kubernetes === undefined ? "" : `Kubernetes ${kubernetes}`,
    address === "" ? "" : `API at ${address}${isVip ? " (VIP)" : ""}`,
  ];
  return createLines("cluster", parts.filter((part) => part !== "").join(", "), canvas);
}

/** `192.168.1.100` of `https://192.168.1.100:6443`. */
const hostOf = (endpoint: string): string => endpoint.replace(/^\w+:\/\//, "").replace(/:6443$/, "");

/** What else there will be, in the order of the plan. */
function otherLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const firstAddon = steps.findIndex((step) => step.group === "addons");
  const [before, after] =
    firstAddon < 0 ? [steps, []] : [steps.slice(0, firstAddon), steps.slice(firstAddon)];
  return [...ownLines(before, canvas), ...addonLines(steps, canvas), ...ownLines(after, canvas)];
}

/** The lines that kinds bring themselves: one for each step that has a text, one for all that are counted together. */
function ownLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const lines = steps.flatMap(({ face }) => face.planLine ?? []);
  const sorts = groupBy(lines, (each) => ("title" in each ? each : each.counted));
  return [...sorts.values()].flatMap((alike) => ownLine(alike, canvas));
}

function ownLine(alike: PlanLine[], canvas: Canvas): Line[] {
  const [first] = alike;
  if (first === undefined) return [];
  if ("title" in first) return createLines(first.title, first.text, canvas);
  const names = listNames(alike.flatMap((each) => ("name" in each ? each.name : [])));
  const detail = `${first.before ?? ""}${names}${first.after ?? ""}`;
  return createLines(formatNumber(alike.length, first.counted), detail, canvas);
}

function addonLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const addons = steps.filter((step) => step.group === "addons");
  if (addons.length === 0) return [];
  const names = addons.map((step) => [step.face.label, factsOf(step).version].filter(Boolean).join(" "));
  return createLines(formatNumber(addons.length, "add-on"), listNames(names, 6), canvas);
}

function memoryLines({ hosts = [] }: PlanInput, canvas: Canvas): Line[] {
  if (hosts.length === 0) return [];
  const gib = (mib: number) => Math.floor(mib / 1024);
  const shown = hosts
    .toSorted((a, b) => a.memoryLeftMiB - b.memoryLeftMiB)
    .slice(0, canvas.columns < 60 ? 1 : 3);
  const inOrder = hosts.filter((host) => shown.includes(host));
  const words = inOrder.map((host) => `${host.name} ${gib(host.memoryLeftMiB)} of ${gib(host.memoryMiB)}`);
  const more = hosts.length - inOrder.length;
  const tail = more > 0 && canvas.columns >= 60 ? ` and ${more} with more` : "";
  return [
    line("    ", [
      "dim",
      `${canvas.columns < 60 ? "memory left" : "memory left after"}   ${words.join("   ")} GiB${tail}`,
    ]),
  ];
}
