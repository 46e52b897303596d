import { describeCause, SlipwayError } from "../../errors/index.ts";
import { limitTime, Semaphore, TimeLimitError, type Limits } from "../../lib/index.ts";

/**
 * Each new connection is work for this computer too. With hundreds at once all of them are late, and nodes that are well
 * would be called silent; yet every round of silent ones takes the whole of their time.
 */
export const nodesAtOnce = 50;

/** What each node says, by its name. A node that is asked later has its time later. */
export async function askNodes<N extends { name: string }, T>(
  nodes: readonly N[],
  ask: (node: N) => Promise<T>,
): Promise<Map<string, T>> {
  const places = new Semaphore(nodesAtOnce);
  const answers = nodes.map(async (node): Promise<[string, T]> => [
    node.name,
    await places.use(() => ask(node)),
  ]);
  return new Map(await Promise.all(answers));
}

/** What was said, or why nothing was. */
export type Answer<T> = { value: T } | { why: string };

/** Asks for so long. Only who has stopped asking gets no answer at all. */
export async function answerWithin<T>(
  patienceMs: number,
  { clock, signal }: Limits,
  ask: (limit: AbortSignal) => Promise<T>,
): Promise<Answer<T>> {
  try {
    const late = `no answer within ${patienceMs / 1000}s`;
    return { value: await limitTime(clock, patienceMs, late, signal, ask) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { why: thrown instanceof SlipwayError ? thrown.why : describeCause(thrown) };
  }
}

const fewSecondsMs = 5_000;

/** What could not be asked in a few seconds is unknown. */
export async function unlessUnreachable<T>(
  { clock, signal }: Limits,
  ask: (limit: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await limitTime(clock, fewSecondsMs, "no answer", signal, ask);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return undefined;
    throw thrown;
  }
}
