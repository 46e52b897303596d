import { describeCause } from "../../errors/index.ts";
import { limitTime, type Clock } from "../../lib/index.ts";
import type { LogLevel, ReadContext, RunNote, RunNotes } from "../../plan/index.ts";
import type { Host } from "../../spec/index.ts";
import { clusterContested, clusterHeld } from "./errors.ts";
import { noteText, readHolder, type Holder } from "./lock-holder.ts";

/** How often a run says that it is still there, and after how long without a word others may doubt it: two may be lost. */
export const renewEveryMs = 20_000;
export const staleAfterMs = 60_000;
/** Clocks differ between machines, so a holder without a sign of life is watched for longer than two of its signs of life. */
export const watchMs = 2 * renewEveryMs + 5_000;

export interface SharedLockOptions {
  cluster: string;
  host: Host;
  notes: RunNotes;
  me: Omit<Holder, "cluster" | "renewed">;
  clock: Clock;
  signal: AbortSignal;
  log(level: LogLevel, text: string): void;
  /** Another run has taken it: two would be working on the cluster. */
  onLost(): void;
}

/** Lets one run at a time work on a cluster, wherever the others run. */
export interface SharedLock {
  /** Throws when another run works on it. What a killed run of ours left is taken back. */
  check(): Promise<void>;
  /** Takes it, over a holder that gives no sign of life any more if need be. */
  claim(): Promise<void>;
  release(): Promise<void>;
}

const attempts = 5;
const answerWithinMs = 8_000;

export function sharedLock(options: SharedLockOptions): SharedLock {
  const { cluster, host, notes, me, clock, log } = options;
  const asking = (signal: AbortSignal): ReadContext => ({ signal, clock, log });
  const ctx = asking(options.signal);
  const textNow = (): string => noteText({ ...me, cluster, renewed: new Date(clock.now()).toISOString() });
  /** Nobody had it at the check: to ask for it tells whether that is still so. */
  let wasFree = false;
  let renewal: { stop: AbortController; ended: Promise<void> } | undefined;

  const isOurs = (note: RunNote): boolean => readHolder(note.text)?.identity === me.identity;

  /** How long ago its holder was heard of, by this machine's clock. */
  const silenceMs = (note: RunNote): number =>
    clock.now() - Date.parse(readHolder(note.text)?.renewed ?? "1970-01-01T00:00:00Z");

  const soon = <T>(outer: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    limitTime(clock, answerWithinMs, `no answer within ${answerWithinMs / 1000} s`, outer, ask);

  function refuseIfHeld(note: RunNote): void {
    const holder = readHolder(note.text);
    if (!holder || silenceMs(note) > staleAfterMs) return;
    throw clusterHeld({ ...holder, cluster, host: host.name });
  }

  function hold(): void {
    const stop = new AbortController();
    renewal = { stop, ended: keepRenewing(stop.signal) };
  }

  async function keepRenewing(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const isEnded = await clock.sleep(renewEveryMs, stop).then(
        () => false,
        () => true,
      );
      if (isEnded) return;
      try {
        if (!(await soon(undefined, renew))) return;
      } catch (thrown) {
        log("warn", `the lock of ${cluster} was not renewed: ${describeCause(thrown)}`);
      }
    }
  }

  async function renew(signal: AbortSignal): Promise<boolean> {
    const note = await notes.read(asking(signal), host, cluster);
    const isKept = note && isOurs(note);
    if (isKept && (await notes.renew(asking(signal), host, cluster, textNow(), note.version))) return true;
    const other = note && readHolder(note.text);
    log("error", `the lock of ${cluster} is no longer ours: ${other ? `${other.by} has it` : "it is gone"}`);
    options.onLost();
    return false;
  }

  async function takeBack(note: RunNote): Promise<boolean> {
    if (!(await notes.renew(ctx, host, cluster, textNow(), note.version))) return false;
    log("info", `took back the lock of ${cluster}, which a run in this folder left`);
    hold();
    return true;
  }

  /** A living run writes again while we watch. */
  async function takeOver(note: RunNote): Promise<boolean> {
    const holder = readHolder(note.text);
    const who = holder
      ? `"slipway ${holder.command}" of ${holder.by}, since ${holder.since},`
      : "another run";
    log(
      "warn",
      `${who} holds ${cluster} and no longer renews its lock; watching for ${Math.round(watchMs / 1000)}s`,
    );
    await clock.sleep(watchMs, options.signal);
    if (!(await notes.takeOver(ctx, host, cluster, textNow(), note.version))) return false;
    log("warn", `took over the lock of ${cluster}: its holder is gone`);
    hold();
    return true;
  }

  async function create(): Promise<boolean> {
    if (!(await notes.create(ctx, host, cluster, textNow()))) return false;
    hold();
    return true;
  }

  return {
    async check() {
      // A host that is unreachable is for others to wait for.
      const note = await soon(options.signal, (signal) => notes.read(asking(signal), host, cluster));
      wasFree = note === undefined;
      if (!note) return;
      if (isOurs(note)) await takeBack(note);
      else refuseIfHeld(note);
    },

    async claim() {
      if (renewal) return;
      for (let attempt = 1; ; attempt += 1) {
        const note = wasFree ? undefined : await notes.read(ctx, host, cluster);
        wasFree = false;
        if (!note && (await create())) return;
        if (note && isOurs(note) && (await takeBack(note))) return;
        if (note && !isOurs(note)) {
          refuseIfHeld(note);
          if (await takeOver(note)) return;
        }
        if (attempt === attempts) throw clusterContested(cluster, host.name);
        await clock.sleep(500, options.signal);
      }
    },

    async release() {
      if (!renewal) return;
      renewal.stop.abort(new Error("released"));
      await renewal.ended;
      // Also after Ctrl-C, which has ended the signal of everything else.
      try {
        await soon(undefined, async (signal) => {
          const last = asking(signal);
          const note = await notes.read(last, host, cluster);
          if (note && isOurs(note)) await notes.remove(last, host, cluster, note.version);
        });
      } catch (thrown) {
        log(
          "warn",
          `the lock of ${cluster} stays on ${host.name} until it is stale: ${describeCause(thrown)}`,
        );
      }
    },
  };
}
