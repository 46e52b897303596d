import type { Clock } from "../../lib/index.ts";
import type { HostSession } from "./host-session.ts";

/** Certificates are made a little old; beyond this they are not valid yet on the other side. */
export const tolerableMs = 5_000;

/** How far a host's clock is ahead of ours; the time that the question took is not held against it. */
export async function readClock(
  host: HostSession,
  clock: Pick<Clock, "now">,
  signal?: AbortSignal,
): Promise<number> {
  const before = clock.now();
  const found = Number((await host.run(["date", "+%s%3N"], { signal })).trim());
  const after = clock.now();
  if (found < before) return found - before;
  return found > after ? found - after : 0;
}
