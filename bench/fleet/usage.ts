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
