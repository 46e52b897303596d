import { errorData } from "../errors/index.ts";
import type { Clock } from "../lib/index.ts";
import {
  type Check,
  type CheckPhase,
  type Finding,
  type Tell,
  faultsText,
  nodesText,
  type LogLevel,
} from "../plan/index.ts";

interface CheckWorld {
  clock: Clock;
  signal: AbortSignal;
  tell: Tell;
}

export interface CheckResult extends Finding {
  check: Check;
}

/** Readers that name a problem say what is wrong; the title alone would say what should be. */
const failingTitle = ({ failing }: Check, { status }: Finding): Pick<Check, "failing"> =>
  failing !== undefined && (status === "failed" || status === "warned") ? { failing } : {};

/** Runs all checks at once and tells each as it ends. A check that throws has failed with that error. */
export async function runChecks(
  phase: CheckPhase,
  cluster: string,
  checks: Check[],
  world: CheckWorld,
): Promise<CheckResult[]> {
  const { clock, signal, tell } = world;
  return Promise.all(
    checks.map(async (check) => {
      // Where time is virtual, one after the other: what they find is told in the same order every time.
      await clock.sleep(0);
      const startedAt = clock.now();
      const log = (level: "error" | "warn" | "info" | "debug", text: string) =>
        tell({ type: "log", level, text });
      const finding = await check.run({ signal, clock, log }).catch((thrown): Finding => {
        // A check that was stopped has found nothing.
        signal.throwIfAborted();
        return { status: "failed", error: errorData(thrown) };
      });
      tell({
        type: "check",
        phase,
        id: check.id,
        title: check.title,
        ...failingTitle(check, finding),
        cluster,
        host: check.host,
        node: check.node,
        tookMs: Math.round(clock.now() - startedAt),
        ...finding,
      });
      return { ...finding, check };
    }),
  );
}

interface Ended {
  finding: Finding;
  tookMs: number;
}

/**
 * Runs checks that build on each other, each as soon as it can, and tells them in their order. What rests on a
 * failure that was told before says so instead of failing again.
 */
export async function runChecklist(
  phase: CheckPhase,
  cluster: string,
  checks: Check[],
  world: CheckWorld,
): Promise<CheckResult[]> {
  const endings = new Map<string, Promise<Ended>>();
  /** Each runs once, for the list or for a check that needs it. */
  const ending = (check: Check): Promise<Ended> => {
    const known = endings.get(check.id) ?? runCheck(check, checks, ending, world);
    endings.set(check.id, known);
    return known;
  };
  for (const check of checks) void ending(check);
  try {
    return await tellInOrder(phase, cluster, checks, ending, world);
  } finally {
    // The check that cleans up behind them must be the last.
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
      ...failingTitle(check, finding),
      host,
      node,
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
    fresh.length > 0 ? `: ${faultsText(Object.fromEntries(fresh))}` : "",
    above.length > 0 ? `; ${nodesText(above)} as above` : "",
  ].join("");
  const because = fresh.length === 0 ? blamed.get(above[0] ?? "") : undefined;
  return {
    ...rest,
    nodes,
    found: words,
    because,
    error: because === undefined ? error : undefined,
  };
}
