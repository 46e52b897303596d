import type { Clock, Redaction } from "../../lib/index.ts";
import { eventStreamVersion, type RunEvent, type Tell } from "../../plan/index.ts";

/** Numbers and times what is told, and hands it to every reader. Nothing comes after `done`: readers count on it. */
export function eventStream(
  { clock, redaction }: { clock: Clock; redaction: Redaction },
  run: string,
  readers: ((event: RunEvent) => void)[],
): Tell {
  const startedAt = clock.now();
  let seq = 0;
  let isDone = false;
  return (body) => {
    // Connections that close tell of their last calls.
    if (isDone) return;
    isDone = body.type === "done";
    seq += 1;
    const now = clock.now();
    const event: RunEvent = redaction.redact({
      v: eventStreamVersion,
      seq,
      at: new Date(now).toISOString(),
      ms: Math.round(now - startedAt),
      run,
      ...body,
    });
    for (const read of readers) read(event);
  };
}

/** `20260714-093102`, from the time a run starts. */
export const runName = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replaceAll("-", "").replaceAll(":", "").replace("T", "-");
