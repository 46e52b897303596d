import { readdirSync } from "node:fs";

/** What this process has used while some work went on. */
export interface ProcessUse {
  cpuSeconds: number;
  rssMiB: number;
}

export async function using<T>(work: () => Promise<T>): Promise<{ value: T; use: ProcessUse }> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, use: { cpuSeconds: (user + system) / 1e6, rssMiB: rssMiB() } };
}

export const rssMiB = (): number => process.memoryUsage().rss / 2 ** 20;

/** What is in use once all that nobody needs any more is gone. */
interface Holdings {
  rssMiB: number;
  heapMiB: number;
  /** Open files and connections, of both ends. */
  files: number;
}

export function holdings(): Holdings {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return {
    rssMiB: rssMiB(),
    heapMiB: (heapUsed + external) / 2 ** 20,
    files: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
  };
}
