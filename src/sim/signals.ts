/** Listeners for "something changed", and a way to wait for a state. */
export class Signals {
  readonly #listeners = new Set<() => void>();

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves once `isSo` holds, looking again at each change; rejects when the signal is aborted. */
  until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      if (isSo()) {
        resolve();
        return;
      }
      const abort = () => {
        stop();
        reject(signal.reason as Error);
      };
      const stop = this.listen(() => {
        if (!isSo()) return;
        stop();
        signal.removeEventListener("abort", abort);
        resolve();
      });
      signal.addEventListener("abort", abort, { once: true });
    });
  }
}
