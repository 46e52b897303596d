import { defineError } from "../errors/index.ts";
import type { Wait } from "../plan/index.ts";

/** A wait that ran out of time says what it waited for, how long, and what it saw last. */
export const waitedTooLong = defineError(
  "RUN_WAIT_TOO_LONG",
  (wait: Wait, duration: string, lastSeen: string, cause: string | undefined) => ({
    what: `Gave up waiting for ${wait.what}`,
    why: `${duration} passed; last seen: ${lastSeen}${cause === undefined ? "" : ` (${cause})`}`,
    next: wait.next ?? 'Look at the machine it names, then run "slipway up" again; finished work is kept',
  }),
  [{ next: undefined }],
);
