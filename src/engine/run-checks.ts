import { errorData } from "../errors/index.ts";
import type { Clock } from "../lib/index.ts";
import type { Check, CheckPhase, Finding, Tell } from "../plan/index.ts";

export interface CheckWorld {
  clock: Clock;
  signal: AbortSignal;
  tell: Tell;
}

export interface CheckResult extends Finding {
  check: Check;
}

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
      const startedAt = clock.now();
      const log = (level: "error" | "warn" | "info" | "debug", text: string) =>
        tell({ type: "log", level, text });
      const finding = await check.run({ signal, clock, log }).catch((thrown): Finding => {
        // Whoever was stopped has found nothing.
        signal.throwIfAborted();
        return { status: "failed", error: errorData(thrown) };
      });
      tell({
        type: "check",
        phase,
        id: check.id,
        title: check.title,
        cluster,
        ...(check.host !== undefined && { host: check.host }),
        ...(check.node !== undefined && { node: check.node }),
        tookMs: Math.round(clock.now() - startedAt),
        ...finding,
      });
      return { ...finding, check };
    }),
  );
}
