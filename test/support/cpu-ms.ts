import process from "node:process";

/** What `work` costs this process: milliseconds of computing, which a busy machine does not add to. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
