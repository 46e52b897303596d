import { errorData } from "../errors/index.ts";
import {
  faultsInWords,
  nodesInWords,
  type Check,
  type CheckPhase,
  type Finding,
  type LogLevel,
} from "../plan/index.ts";
import type { CheckResult, CheckWorld } from "./run-checks.ts";

interface Ended {
  finding: Finding;
  tookMs: number;
}

/**
 * Runs checks that build on each other, each as soon as it can, and tells them in their order. What rests on a
 * failure that was told before says so instead of failing anew.
 */
export async function runChecklist(
  phase: CheckPhase,
  cluster: string,
  checks: Check[],
  world: CheckWorld,
): Promise<CheckResult[]> {
  const endings = new Map<string, Promise<Ended>>();
  /** Each runs once, whoever asks first: the list or a check that needs it. */
  const ending = (check: Check): Promise<Ended> => {
    const known = endings.get(check.id) ?? runCheck(check, checks, ending, world);
    endings.set(check.id, known);
    return known;
  };
  for (const check of checks) void ending(check);
  try {
    return await tellInOrder(phase, cluster, checks, ending, world);
  } finally {
    // Whoever cleans up behind them must be the last.
    await Promise.all(endings.values());
  }
}

/** Never rejects: what is thrown is what it found. */
async function runCheck(
  check: Check,
  checks: Check[],
  ending: (check: Check) => Promise<Ended>,
  { clock, signal, tell }: CheckWorld,
): Promise<Ended> {
  // Not before this check is known to be under way, so that it is begun only once.
  await Promise.resolve();
  for (const needed of checks.filter(({ id }) => check.needs?.includes(id))) {
    const cause = causeOf(needed.id, (await ending(needed)).finding);
    if (cause !== undefined) return { finding: skippedFor(cause, check, checks), tookMs: 0 };
  }
  const startedAt = clock.now();
  const log = (level: LogLevel, text: string) => tell({ type: "log", level, text });
  const finding = await check
    .run({ signal, clock, log })
    .catch((thrown: unknown): Finding => ({ status: "failed", error: errorData(thrown) }));
  return { finding, tookMs: Math.round(clock.now() - startedAt) };
}

function skippedFor(cause: string, check: Check, checks: Check[]): Finding {
  const at = checks.findIndex(({ id }) => id === cause);
  const where = at < checks.indexOf(check) ? "as above" : "failed, see below";
  return { status: "skipped", because: cause, found: `${checks[at]?.title ?? cause} ${where}` };
}

/** The check that stands in the way, unless only some nodes did not pass it. */
function causeOf(id: string, { status, nodes, because }: Finding): string | undefined {
  if (status === "skipped") return because;
  return status === "failed" && nodes === undefined ? id : undefined;
}

async function tellInOrder(
  phase: CheckPhase,
  cluster: string,
  checks: Check[],
  ending: (check: Check) => Promise<Ended>,
  { signal, tell }: CheckWorld,
): Promise<CheckResult[]> {
  const blamed = new Map<string, string>();
  const results: CheckResult[] = [];
  for (const check of checks) {
    const ended = await ending(check);
    signal.throwIfAborted();
    const finding = withAbove(ended.finding, blamed);
    for (const node of Object.keys(finding.nodes ?? {})) if (!blamed.has(node)) blamed.set(node, check.id);
    const { id, title, host, node } = check;
    tell({
      ...{ type: "check", phase, id, title, cluster },
      ...(host !== undefined && { host }),
      ...(node !== undefined && { node }),
      tookMs: ended.tookMs,
      ...finding,
    });
    results.push({ ...finding, check });
  }
  return results;
}

/** Completes what was found with the nodes to blame; those blamed before are only pointed at. */
function withAbove(finding: Finding, blamed: ReadonlyMap<string, string>): Finding {
  const { nodes, found = "", error, ...rest } = finding;
  if (nodes === undefined) return finding;
  const above = Object.keys(nodes).filter((node) => blamed.has(node));
  const fresh = Object.entries(nodes).filter(([node]) => !blamed.has(node));
  const words = [
    found,
    fresh.length > 0 ? `: ${faultsInWords(Object.fromEntries(fresh))}` : "",
    above.length > 0 ? `; ${nodesInWords(above)} as above` : "",
  ].join("");
  const because = fresh.length === 0 ? blamed.get(above[0] ?? "") : undefined;
  return {
    ...rest,
    nodes,
    found: words,
    ...(because !== undefined && { because }),
    ...(because === undefined && error && { error }),
  };
}
