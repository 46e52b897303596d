import { limitTime } from "../../../lib/index.ts";
import {
  ConsoleWatch,
  type Consoles,
  type MachinePlace,
  type Seen,
  type StepContext,
} from "../../../plan/index.ts";
import { hostKeyReader, type HostKey } from "./printed-host-keys.ts";
import { consoleLost, consoleSilent, hostKeysMissed, hostKeysMissing } from "../errors.ts";
import type { Guest, LinuxAccess } from "../linux-access.ts";

/** A machine to be met, and where its console is. */
export interface MeetWant extends Guest {
  machine: MachinePlace;
  /** Somebody has set it up already: cloud-init need not have been there. */
  isThere?: true | undefined;
}

// cloud-init prints the keys at its end, a while after SSH has begun to answer. So long nothing beside an answer: missed.
const patienceMs = { first: 60_000, last: 300_000 };
/** Emulated machines take minutes. */
const bootDeadlineMs = 20 * 60_000;
const answerMs = 5_000;

/**
 * Finds out which host keys a machine has made: those it prints on its serial console, read through its host. From then
 * on whoever else answers at its address gets nothing.
 */
export async function meetGuest(
  access: LinuxAccess,
  consoles: Consoles,
  ctx: StepContext,
  want: MeetWant,
): Promise<void> {
  const watch = new ConsoleWatch(ctx, consoles, want.machine, {
    read: hostKeyReader(),
    lost: (cause) => consoleLost({ ...want, cause }),
  });
  try {
    const keys = (await untilPrinted(access, ctx, want, watch, patienceMs.first)) ?? (await again());
    await access.meet(want, keys);
  } finally {
    watch.close();
  }

  async function again(): Promise<HostKey[]> {
    // A machine that may be in use is not touched because its keys are lost.
    if (!consoles.startAsNew || !(await access.newGuests.has(want)))
      throw hostKeysMissed({ ...want, file: access.knownHostsFile(want.cluster) });
    ctx.log(
      "info",
      `${want.node} printed its host keys before its console was read, and is reset to make and print new ones`,
    );
    // Before, not after: a quick machine prints while the host still says that it is being reset.
    watch.forget();
    await consoles.startAsNew(ctx, want.machine);
    const keys = await untilPrinted(access, ctx, want, watch, patienceMs.last);
    if (!keys) throw watch.isSilent ? consoleSilent(want) : hostKeysMissing(want);
    return keys;
  }
}

/** Undefined when they will not be printed any more. */
async function untilPrinted(
  access: LinuxAccess,
  ctx: StepContext,
  want: MeetWant,
  watch: ConsoleWatch<HostKey[]>,
  patience: number,
): Promise<HostKey[] | undefined> {
  let answersSince: number | undefined;
  return ctx.waitFor(
    {
      what: `the host keys of ${want.node} on its serial console`,
      probe: "console",
      deadlineMs: bootDeadlineMs,
      usualMs: 35_000,
      everyMs: 2_000,
    },
    async (signal): Promise<Seen<HostKey[] | undefined>> => {
      await watch.ready();
      if (watch.found) return { done: true, value: watch.found };
      const now = ctx.clock.now();
      answersSince = (await answers(access, want, signal)) ? (answersSince ?? now) : undefined;
      const quietMs = answersSince === undefined ? 0 : Math.min(now - answersSince, watch.quietMs());
      if (quietMs >= patience) return { done: true, value: undefined };
      return {
        done: false,
        seen: answersSince === undefined ? "it still starts" : "SSH answers, no host keys on the console yet",
      };
    },
  );
}

/** Whether SSH answers there. Nothing is sent to it. */
async function answers(
  access: LinuxAccess,
  { cluster, address }: Guest,
  outer: AbortSignal,
): Promise<boolean> {
  try {
    return await limitTime(access.world.clock, answerMs, "no answer", outer, async (signal) => {
      const socket = await access.world.dialFor(cluster)({ host: address, port: 22 }, signal);
      try {
        const said = await new Promise<string>((resolve) => {
          socket.once("data", (bytes: Buffer) => resolve(bytes.toString("latin1")));
          for (const event of ["error", "close", "end"]) socket.once(event, () => resolve(""));
          signal.addEventListener("abort", () => resolve(""), { once: true });
        });
        return said.startsWith("SSH-");
      } finally {
        socket.destroy();
      }
    });
  } catch {
    outer.throwIfAborted();
    return false;
  }
}
