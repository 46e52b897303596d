import type { CheckPhase } from "../../plan/index.ts";
import type { CheckTally, Told } from "./run-state.ts";
import { formatCount, listNames } from "../format.ts";

export interface CheckSummary {
  title: string;
  status: "ok" | "warned" | "failed";
  passed: number;
  total: number;
  /** `14 of 14 checks`, with the problems named. */
  text: string;
  tookMs: number;
}

const titles: Record<CheckPhase, string> = {
  preflight: "Preflight",
  gate: "Gates",
  verify: "Verify",
  doctor: "Doctor",
};

export function summarizeChecks(phase: string, tally: CheckTally): CheckSummary {
  const counted = tally.checks.filter((check) => check.status !== "skipped");
  const failed = counted.filter((check) => check.status === "failed");
  const warned = counted.filter((check) => check.status === "warned");
  const passed = counted.length - failed.length;
  const count = `${formatCount(passed, counted.length)} checks`;
  const problems = failed.length > 0 ? failed : warned;
  return {
    title: titles[phase as CheckPhase] ?? phase,
    status: failed.length > 0 ? "failed" : warned.length > 0 ? "warned" : "ok",
    passed,
    total: counted.length,
    text: problems.length > 0 ? `${count}: ${listNames(namesOf(problems))}` : count,
    tookMs: tally.endedMs - tally.beganMs,
  };
}

/** Each once; the same problem of several clusters is named with them. */
function namesOf(problems: Told<"check">[]): string[] {
  const isOneOfMany = new Set(problems.map(({ cluster }) => cluster)).size > 1;
  return [...new Set(problems.map((check) => problemName(check, isOneOfMany)))];
}

function problemName(check: Told<"check">, isOneOfMany: boolean): string {
  const place = check.node ?? check.host ?? (isOneOfMany ? check.cluster : undefined);
  const name = problemTitle(check);
  return place === undefined ? name : `${name} (${place})`;
}

/** What is wrong, in words: `Token is refused` of the check `Token is accepted`. */
export const problemTitle = ({
  title,
  failing,
  status,
}: Pick<Told<"check">, "title" | "failing" | "status">): string =>
  failing ?? (status === "failed" ? `failed: ${title}` : title);
