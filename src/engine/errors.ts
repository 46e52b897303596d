import { SlipwayError } from "../errors/index.ts";
import type { Wait } from "../plan/index.ts";

/** A wait that ran out of time says what it waited for, how long, and what it saw last. */
export const waitedTooLong = (wait: Wait, duration: string, lastSeen: string, cause: string | undefined) =>
  new SlipwayError({
    code: "RUN_WAIT_TOO_LONG",
    what: `Cannot go on without ${wait.what}`,
    why: `${duration} passed; last seen: ${lastSeen}${cause === undefined ? "" : ` (${cause})`}`,
    next: wait.next ?? 'Look at the machine it names, then run "slipway up" again; finished work is kept',
  });
