import type { ErrorData } from "../../errors/index.ts";
import { groupBy } from "../../lib/index.ts";
import { nameOfStep } from "../../plan/index.ts";
import type { RunState, Told } from "./run-state.ts";
import { formatNumber, listNames } from "../format.ts";

export type FailedStep = Pick<Told<"failed">, "step" | "error"> & { node?: string | undefined };

/** Failures with one code and one shared host, storage or network become one block that names the nodes. */
export function groupFailures(failed: readonly FailedStep[]): ErrorData[] {
  const groups = groupBy(failed, ({ error: { code, shared, what, why } }) =>
    shared === undefined ? `${code}|${what}|${why}` : `${code}|${shared}`,
  );
  return [...groups.values()].flatMap(mergeFailures);
}

function mergeFailures(failures: FailedStep[]): ErrorData[] {
  const [first] = failures;
  if (!first) return [];
  const names = [...new Set(failures.map((failure) => failure.node ?? nameOfStep(failure.step)))];
  const { error } = first;
  if (failures.length === 1 || names.length < 2 || error.shared === undefined) return [error];
  return [{ ...error, what: sharedWhat(failures, names), why: sharedWhy(failures, names) }];
}

/** `Cannot reach 2 nodes on orion: cp-3, worker-3`, from `Cannot reach cp-3`. */
function sharedWhat(failures: FailedStep[], names: string[]): string {
  const shared = failures[0]?.error.shared ?? "";
  const what = failures[0]?.error.what ?? "";
  const firstName = names[0] ?? "";
  const quoted = what.includes(`"${firstName}"`) ? `"${firstName}"` : firstName;
  const place = what.includes(shared) ? "" : ` on ${shared}`;
  const list = listNames(names);
  const noun = failures.every((failure) => failure.node !== undefined) ? "node" : "step";
  if (!what.includes(quoted)) return `${what} (${formatNumber(names.length, noun)}${place}: ${list})`;
  // "machine cp-1" of several is "2 machines", not "machine 2 nodes".
  const before = what.slice(0, what.indexOf(quoted)).trimEnd();
  const after = what.slice(what.indexOf(quoted) + quoted.length);
  const ownNoun = /\b(machine|node|image|host)$/.exec(before)?.[1];
  const verb = ownNoun === undefined ? before : before.slice(0, -ownNoun.length).trimEnd();
  return `${verb} ${formatNumber(names.length, ownNoun ?? noun)}${place}${after}: ${list}`;
}

function sharedWhy(failures: FailedStep[], names: string[]): string {
  const reasons = [...new Set(failures.map((failure) => failure.error.why))];
  const [first = ""] = reasons;
  if (reasons.length === 1) return first;
  // Reasons that differ only in names and numbers are one reason.
  const masked = new Set(
    failures.map((failure, index) =>
      failure.error.why.replaceAll(names[index] ?? "", "").replace(/[\d.]+/g, "#"),
    ),
  );
  if (masked.size === 1) return `${names[0] ?? ""}: ${first}; ${listNames(names.slice(1))} alike`;
  return reasons
    .slice(0, 3)
    .map((why, index) => `${names[index] ?? ""}: ${why}`)
    .join("; ");
}

/** Every error a run ended with, each once: of its steps, of its checks, of the run itself. */
export function errorsOf(state: RunState): ErrorData[] {
  const steps = state.failures.map((failure) => {
    const node = state.steps.get(failure.step)?.planned.node;
    return { step: failure.step, error: failure.error, node };
  });
  const checks = [...state.checks.values()].flatMap((tally) =>
    tally.checks.flatMap((check) =>
      check.status === "failed" && check.error
        ? [{ step: check.id, error: check.error, node: check.node }]
        : [],
    ),
  );
  const known = groupFailures([...steps, ...checks]);
  const own = state.done?.error;
  // The run's own error only repeats what a step or a check has said, unless it stands alone.
  const isNews = own !== undefined && known.length === 0;
  return isNews ? [own] : known;
}
