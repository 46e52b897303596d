const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` when the signal is aborted; returns what takes it back. Thousands of calls may wait for the signal of one
 * run, and a signal's own list is walked from its start by each that comes or goes.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const all = waiting.get(signal) ?? listenTo(signal);
  all.add(run);
  return () => void all.delete(run);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  waiting.set(signal, all);
  signal.addEventListener("abort", () => all.forEach((run) => run()), { once: true });
  return all;
}
