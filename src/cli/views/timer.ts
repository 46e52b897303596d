/** Calls back later, without keeping the program alive for it. */
export interface Timer {
  /** Returns what cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const realTimer: Timer = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
