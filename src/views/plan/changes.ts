import { groupBy } from "../../lib/index.ts";
import { nameOfStep, type Consequence, type PlannedStep, type Refusal } from "../../plan/index.ts";
import { longestChainMs } from "../run/longest-chain.ts";
import { factsOf, machineText, type PlanFacts } from "./facts.ts";
import { formatNumber, listNames } from "../format.ts";

/** One line of the plan: steps that mean one change to a person. */
export interface ChangeRow {
  consequence: Consequence;
  subject: string;
  detail: string;
  usualMs: number;
  isRefused: boolean;
  nodes: string[];
  /** Label and text below the line. */
  notes: [string, string][];
  /** What is said instead of the consequence. */
  word?: string | undefined;
}

/** Harmless to harmful, so that the worst stands nearest the prompt. */
export const consequenceOrder: Consequence[] = [
  "hot",
  "create",
  "disturb",
  "reboot",
  "roll",
  "replace",
  "remove",
  "data",
];

const fieldSpellings: Record<string, string> = {
  dns: "DNS",
  bios: "BIOS",
  vlan: "VLAN",
  vmid: "VMID",
  mac: "MAC",
};
/** More new things of one sort than this are counted, not listed. */
const mostCreates = 5;

export function changeRows(
  steps: readonly PlannedStep[],
  refused: readonly Refusal[],
  details: boolean,
): ChangeRow[] {
  const refusals = new Map(refused.map((refusal) => [refusal.step, refusal]));
  const isReturn = (step: PlannedStep): boolean => step.returns === true && !refusals.has(step.id);
  const coming = steps.filter(
    (step) => step.consequence === "create" && !refusals.has(step.id) && !isReturn(step),
  );
  const created = coming.filter((step) => !isWait(step));
  const changed = steps.filter((step) => step.consequence !== "create" || refusals.has(step.id));
  const replacedNodes = new Set(
    changed.filter((step) => step.consequence === "replace").map((step) => step.node),
  );
  const known = new Set(steps.map((step) => step.id));
  const rows = [
    // What a replaced node needs again is part of its replacement.
    ...createRows(created.filter((step) => step.node === undefined || !replacedNodes.has(step.node))),
    ...alike(changed, refusals).map((group) => changeRow(group, refusals, details)),
    ...refused.filter((refusal) => !known.has(refusal.step)).map(refusalRow),
  ];
  // To wait is no change; where there is none, it is all that is done.
  const waits = rows.length > 0 ? [] : coming.filter(isWait).map(waitRow);
  return [...rows, ...waits].toSorted((a, b) => rank(a) - rank(b));
}

/** What comes by itself and brings nothing that could be told of it is only waited for: `Nodes Ready`. */
const isWait = ({ comesByItself, facts }: PlannedStep): boolean => comesByItself === true && !facts;

const waitRow = (step: PlannedStep): ChangeRow => ({
  consequence: "hot",
  word: "wait",
  subject: step.face.label,
  detail: "",
  usualMs: step.usualMs ?? 0,
  isRefused: false,
  nodes: [],
  notes: [],
});

const rank = (row: ChangeRow): number => consequenceOrder.indexOf(row.consequence) + (row.isRefused ? 10 : 0);

function createRows(steps: readonly PlannedStep[]): ChangeRow[] {
  const subjects = groupBy(steps, (step) => (step.node === undefined ? step.id : `node ${step.node}`));
  const sorts = groupBy(subjects.values(), ([step]) => nounOf(step));
  return [...sorts.values()].flatMap((sort) =>
    sort.length > mostCreates ? [manyCreates(sort)] : sort.map(oneCreate),
  );
}

function oneCreate(steps: PlannedStep[]): ChangeRow {
  const main = steps.find((step) => step.face.noun === "machine") ?? steps[0];
  const facts = main ? factsOf(main) : {};
  return {
    consequence: "create",
    // A machine that is there already is not made.
    word: facts.power === undefined ? undefined : "take",
    subject: main ? newSubject(main) : "",
    detail: machineText(facts) || (facts.image ?? addonText(facts) ?? facts.kubernetes ?? ""),
    usualMs: chainOf(steps),
    isRefused: false,
    nodes: [],
    notes: [
      ...note("erases", facts.erases),
      ...note("backup", facts.backup),
      ...note(
        "weak",
        steps.map((step) => factsOf(step).weak).find((weak) => weak !== undefined),
      ),
    ],
  };
}

const newSubject = ({ face, host }: PlannedStep): string =>
  face.asNew ?? (host === undefined ? face.label : `${face.label} on ${host}`);

/** What a plan of changes counts: nodes, and by their own noun the things that are not of one. */
const nounOf = (step: PlannedStep | undefined): string =>
  step?.node === undefined ? (step?.face.noun ?? "step") : "node";

const labelOf = ({ face }: PlannedStep): string => face.label;

/** `1.12.1, 63 objects`. */
const addonText = ({ version, objects }: PlanFacts): string | undefined =>
  version === undefined || objects === undefined
    ? version
    : [version, formatNumber(objects, "object")].filter((word) => word !== "").join(", ");

function manyCreates(subjects: PlannedStep[][]): ChangeRow {
  const firsts = subjects.flatMap(([step]) => step ?? []);
  return {
    consequence: "create",
    subject: formatNumber(subjects.length, nounOf(firsts[0])),
    detail: listNames(firsts.map(labelOf)),
    usualMs: chainOf(subjects.flat()),
    isRefused: false,
    nodes: [],
    notes: [],
  };
}

/** Steps that change the same fields from and to the same values. */
function alike(steps: readonly PlannedStep[], refusals: Map<string, Refusal>): PlannedStep[][] {
  const groups = groupBy(steps, (step) =>
    JSON.stringify([
      step.consequence,
      step.kind,
      step.from,
      step.to,
      step.loses,
      step.waitsUntil,
      refusals.has(step.id) ? step.id : "",
      // Things without a change of fields are told one by one, unless they go.
      step.from === undefined && step.action !== "remove" ? step.id : "",
    ]),
  );
  return [...groups.values()];
}

function changeRow(steps: PlannedStep[], refusals: Map<string, Refusal>, details: boolean): ChangeRow {
  const [first] = steps;
  if (!first) throw new Error("a change without a step");
  const refusal = refusals.get(first.id);
  const consequence = refusal?.consequence ?? first.consequence;
  const fields = Object.keys(first.to ?? {});
  const facts = factsOf(first);
  const changes = fields.map((field) => `${first.from?.[field] ?? ""} → ${first.to?.[field] ?? ""}`);
  const words =
    fields.length === 1 ? changes : fields.map((field, index) => `${spelled(field)} ${changes[index]}`);
  const isStart = fields.length === 1 && first.to?.["power"] === "running";
  const oneByOne = consequence === "roll" || consequence === "reboot";
  return {
    consequence,
    word: isStart ? "start" : undefined,
    subject: changeSubject(steps, isStart ? [] : fields, consequence),
    detail: [...words, facts.because ?? ""].filter((part) => part !== "").join(", ") || removedText(steps),
    usualMs: oneByOne ? rollingMs(steps) : chainOf(steps),
    isRefused: refusal !== undefined,
    nodes: [...new Set(steps.flatMap((step) => step.node ?? []))],
    notes: [
      ...note("waits", first.waitsUntil && `until ${first.waitsUntil}`),
      ...note("hop", facts.hop),
      ...note("order", oneByOne ? orderText(steps, consequence === "roll") : undefined),
      ...note("before", facts.before),
      ...note("backup", facts.backup),
      ...note("weak", facts.weak),
      ...note("blocked", facts.blocked),
      ...note("alone", facts.alone),
      ...note("unmanaged", facts.unmanaged),
      ...note("keeps", first.keeps),
      ...note("loses", first.loses ?? (consequence === "data" ? refusal?.why : undefined)),
      ...note("why", consequence === "data" ? undefined : refusal?.why),
      ...(details && fields.length > 1
        ? fields.map((f, i): [string, string] => [spelled(f), changes[i] ?? ""])
        : []),
    ],
  };
}

/** One node after the other, but for those that go several at once. */
function rollingMs(steps: PlannedStep[]): number {
  const batches = [...groupBy(steps, ({ atOnce = 1 }) => atOnce)].map(([atOnce, batched]) => {
    const sumMs = batched.reduce((sum, { usualMs = 0 }) => sum + usualMs, 0);
    return (sumMs / batched.length) * Math.ceil(batched.length / atOnce);
  });
  return batches.reduce((sum, each) => sum + each, 0);
}

function orderText(steps: PlannedStep[], isNamed: boolean): string {
  const names = isNamed && steps.length > 1 ? steps.map(labelOf).join(", ") : "";
  const batched = steps.filter(({ atOnce = 1 }) => atOnce > 1);
  const most = Math.min(batched[0]?.atOnce ?? 1, batched.length);
  return [names, most > 1 ? `workers ${most} at a time` : ""].filter((part) => part !== "").join("; ");
}

function changeSubject(steps: PlannedStep[], fields: string[], consequence: Consequence): string {
  const [first] = steps;
  if (!first) return "";
  const field = fields.length === 1 ? spelled(fields[0] ?? "") : "";
  const noun = first.action === "remove" ? first.face.noun : nounOf(first);
  if (steps.length === 1) {
    const { label } = first.face;
    if (consequence === "replace") return label;
    if (first.action === "remove") return `${noun} ${label}`;
    return field === "" ? label : `${label} ${field}`;
  }
  const plural = first.action === "remove" ? first.face.plural : undefined;
  const count = formatNumber(steps.length, noun, plural);
  if (field === "") return count;
  return `${field} ${consequence === "roll" ? "on" : "of"} ${count}`;
}

const removedText = (steps: PlannedStep[]): string =>
  steps.length > 1 ? listNames(steps.map(labelOf)) : (steps[0]?.host ?? "") && `on ${steps[0]?.host ?? ""}`;

function refusalRow(refusal: Refusal): ChangeRow {
  return {
    consequence: refusal.consequence,
    subject: refusal.subject ?? nameOfStep(refusal.step),
    detail: refusal.change ?? "",
    usualMs: 0,
    isRefused: true,
    nodes: [],
    notes: [[refusal.consequence === "data" ? "loses" : "why", refusal.why]],
  };
}

const note = (label: string, text: string | undefined): [string, string][] =>
  text === undefined || text === "" ? [] : [[label, text]];

const spelled = (field: string): string => fieldSpellings[field] ?? field;

function chainOf(steps: readonly PlannedStep[]): number {
  const usual = new Map(steps.map((step) => [step.id, step.usualMs ?? 0]));
  return longestChainMs(steps, (id) => usual.get(id) ?? 0);
}
