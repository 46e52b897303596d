import type { Readable, Writable } from "node:stream";

/** Keys and letters going straight through to a program elsewhere. */
export interface Terminal {
  /** Somebody types, and sees what is said. */
  isInteractive: boolean;
  input: Readable;
  output: Writable;
  error: Writable;
  size(): { columns: number; rows: number };
  /** Returns how to stop listening. */
  onResize(told: () => void): () => void;
  /** From now on every key goes through, Ctrl-C too; returns the way back. */
  passKeys(): () => void;
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    isInteractive: stdin.isTTY && stdout.isTTY,
    input: stdin,
    output: stdout,
    error: stderr,
    size: () => ({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 }),
    onResize(told) {
      stdout.on("resize", told);
      return () => stdout.off("resize", told);
    },
    passKeys() {
      if (!stdin.isTTY) return () => {};
      stdin.setRawMode(true);
      return () => stdin.setRawMode(false);
    },
  };
}
