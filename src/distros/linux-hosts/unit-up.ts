import type { SlipwayError } from "../../errors/index.ts";
import type { Seen, StepContext } from "../../plan/index.ts";
import type { HostSession } from "./host-session.ts";
import { linesSince, plainLine } from "./journal/journal-lines.ts";
import type { JournalReason, ReadReason } from "./journal/journal-reasons.ts";
import type { Guest } from "./linux-access.ts";
import { onNode } from "./on-node.ts";
import { isStarting } from "./open-line.ts";
import { unitText, type UnitState } from "./unit-state.ts";

/** How many lines of a journal are read to find out why its service does not come up. */
export const journalLength = 200;

const deadlineMs = 15 * 60_000;

/** How things stood before a unit was started. */
export interface UnitBefore {
  journal: string[];
  unit: UnitState;
}

/** A unit that is starting, and how its journal is understood. */
export interface StartingUnit<Code extends string> {
  guest: Pick<Guest, "cluster" | "node">;
  unit: string;
  /** Absent: it was started by somebody else, and any run of it will do. */
  before?: UnitBefore | undefined;
  reasonIn: ReadReason<Code>;
  /** A reason as an error of ours. */
  errorOf(reason: JournalReason<Code>): SlipwayError;
}

/** What the journal has said since the unit was started. */
export interface UnitSaid {
  last?: string | undefined;
  cause?: string | undefined;
}

/** Reads on in the journal of a unit. Throws what its service will never get over. */
export async function hearUnit<Code extends string>(
  host: HostSession,
  { unit, before, reasonIn, errorOf }: StartingUnit<Code>,
  signal: AbortSignal,
): Promise<UnitSaid> {
  const lines = linesSince(before?.journal ?? [], await host.journal(unit, journalLength, signal));
  const reason = reasonIn(lines);
  if (reason && !reason.isPassing && !reason.isWarning) throw errorOf(reason);
  const last = lines.at(-1);
  return {
    last: last === undefined ? undefined : plainLine(last),
    cause: reason && errorOf(reason).why,
  };
}

/** Waits until systemd has heard from a unit. What its journal says meanwhile is shown. */
export async function waitForUnit<Code extends string>(
  ctx: StepContext,
  host: HostSession,
  starting: StartingUnit<Code>,
): Promise<void> {
  const { unit, before, guest } = starting;
  await ctx.waitFor(
    {
      what: `${unit} on ${guest.node} to come up`,
      probe: "ssh",
      deadlineMs,
      usualMs: 30_000,
      everyMs: 1_000,
      next: seeJournal(guest, unit),
    },
    async (signal): Promise<Seen<true>> =>
      unlessLost(async () => {
        const state = await host.unit(unit, signal);
        const isFresh = before === undefined || state.mainPid !== before.unit.mainPid;
        if (state.active === "active" && isFresh) return { done: true, value: true };
        const { last, cause } = await hearUnit(host, starting, signal);
        return { done: false, seen: last ?? unitText(state), cause };
      }),
  );
}

const seeJournal = ({ cluster, node }: Pick<Guest, "cluster" | "node">, unit: string): string =>
  `Read all of it: ${onNode(cluster, node, `sudo journalctl -u ${unit} -b`)}; "slipway up ${cluster}" then goes on from here`;

/** A node that is busy starting may lose a connection. */
export async function unlessLost<T>(look: () => Promise<Seen<T>>): Promise<Seen<T>> {
  try {
    return await look();
  } catch (thrown) {
    if (isStarting(thrown)) return { done: false, seen: thrown.why };
    throw thrown;
  }
}
