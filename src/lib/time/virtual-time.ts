import { performance } from "node:perf_hooks";
import process from "node:process";
import { realClock, sleeping, type Clock } from "./clock.ts";
import { isTimeStanding, isTurnDue } from "./standing-time.ts";

export interface VirtualTimeOptions {
  startMs?: number;
  /** How many times faster than the wall it runs at most, for people who watch. */
  speed?: number | undefined;
  /** Whether something is on its way that the event loop does not know of yet. */
  isUnderWay?: () => boolean;
}

/**
 * Time that stands still while anything is computed or on its way, and jumps to whoever sleeps the shortest when the
 * process is quiet. What a rehearsal takes does not depend on the machine it runs on.
 */
export interface VirtualTime {
  /** For whoever waits for something: time goes on only while somebody does. */
  clock: Clock;
  /** For what goes on by itself. Sleepers here are woken in time, and keep nobody waiting. */
  background: Clock;
  /** The time to be shown: between two jumps of a bounded clock it goes on evenly. */
  shown(): number;
}

interface Sleeper {
  atMs: number;
  number: number;
  isAwaited: boolean;
  run: () => void;
}

// One turn shows what the last one has started; two more are for work that was put off to the next turn.
const quietTurns = 3;
const standingMs = 1;
/** What a file or a connection usually takes. A disk that is slower is waited for, and the processor left to others. */
const shortTurns = 20;
/** Nobody rehearses days; but a loop that waits for something real without standing still gets there in no time. */
const mostMsPerSecond = 24 * 3_600_000;

export function virtualTime(options: VirtualTimeOptions = {}): VirtualTime {
  const pump = new Pump(options);
  return {
    clock: pump.face(true),
    background: pump.face(false),
    shown: () => pump.shown(),
  };
}

class Pump {
  readonly #options: VirtualTimeOptions;
  readonly #queue: Sleeper[] = [];
  #nowMs: number;
  #shownMs = 0;
  #numbers = 0;
  #awaited = 0;
  /** Cancels the next look at whether the process is quiet. */
  #cancel: (() => void) | undefined;
  #isPaused = false;
  #calm = 0;
  #events = 0;
  #wokeAtReal = 0;
  #broken: Error | undefined;
  #window = { real: -Infinity, virtual: 0 };

  constructor(options: VirtualTimeOptions) {
    this.#options = options;
    this.#nowMs = options.startMs ?? realClock.now();
  }

  face(isForWaiting: boolean): Clock {
    return sleeping({
      now: () => this.#nowMs,
      after: (ms, run, options) => {
        if (this.#broken) throw this.#broken;
        const atMs = this.#nowMs + Math.max(0, ms);
        const isAwaited = isForWaiting && (options?.isAwaited ?? true);
        const sleeper: Sleeper = { atMs, number: (this.#numbers += 1), isAwaited, run };
        this.#add(sleeper);
        return () => this.#remove(sleeper);
      },
    });
  }

  /** Never earlier than what was shown before: a pause ends whenever somebody comes or goes. */
  shown(): number {
    const { speed } = this.#options;
    const [next] = this.#queue;
    const isOnItsWay = this.#isPaused && next && speed !== undefined;
    const reachedMs = isOnItsWay ? this.#nowMs + (performance.now() - this.#wokeAtReal) * speed : this.#nowMs;
    this.#shownMs = Math.max(this.#shownMs, Math.min(next?.atMs ?? reachedMs, reachedMs));
    return this.#shownMs;
  }

  #add(sleeper: Sleeper): void {
    this.#queue.splice(this.#placeOf(sleeper), 0, sleeper);
    if (sleeper.isAwaited && this.#awaited === 0) this.#wokeAtReal = performance.now();
    if (sleeper.isAwaited) this.#awaited += 1;
    if (!this.#cancel || this.#isPaused) this.#lookSoon();
  }

  #remove(sleeper: Sleeper): void {
    const place = this.#placeOf(sleeper);
    if (this.#queue[place] !== sleeper) return;
    this.#queue.splice(place, 1);
    if (sleeper.isAwaited) this.#awaited -= 1;
    if (this.#isPaused) this.#lookSoon();
  }

  /** Where it stands or belongs: by time, then in the order they came. */
  #placeOf({ atMs, number }: Sleeper): number {
    let from = 0;
    let to = this.#queue.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#queue[middle];
      const isBefore = other && (other.atMs < atMs || (other.atMs === atMs && other.number < number));
      if (isBefore) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #lookSoon(): void {
    this.#cancel?.();
    this.#isPaused = false;
    const next = setImmediate(this.#look);
    this.#cancel = () => clearImmediate(next);
  }

  #lookIn(ms: number): void {
    // Timers count whole milliseconds, and round down.
    const next = setTimeout(this.#look, Math.ceil(ms));
    this.#cancel = () => clearTimeout(next);
  }

  readonly #look = (): void => {
    this.#cancel = undefined;
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    if (this.#awaited === 0) return;
    const { events } = performance.nodeTiming.uvMetricsInfo;
    this.#calm = events === this.#events && !isTurnDue() ? this.#calm + 1 : 0;
    this.#events = events;
    if (this.#calm < quietTurns) this.#lookSoon();
    else if (isTimeStanding()) this.#lookIn(standingMs);
    else if (hasRequests() && this.#calm > shortTurns) this.#lookIn(standingMs);
    else if (hasRequests() || this.#options.isUnderWay?.()) this.#lookSoon();
    else if (!wasPaused && this.#restMs() > 0) {
      this.#lookIn(this.#restMs());
      this.#isPaused = true;
    } else this.#wake();
  };

  /** What a bounded clock still has to wait before its next jump, by the wall. */
  #restMs(): number {
    const { speed } = this.#options;
    const [next] = this.#queue;
    if (!next || speed === undefined) return 0;
    return (next.atMs - this.#nowMs) / speed - (performance.now() - this.#wokeAtReal);
  }

  /** One at a time: the next one only when all that this one starts has come to rest. */
  #wake(): void {
    const next = this.#queue.shift();
    if (!next) return;
    if (next.isAwaited) this.#awaited -= 1;
    this.#nowMs = next.atMs;
    this.#wokeAtReal = performance.now();
    this.#calm = 0;
    this.#holdRunaway();
    next.run();
    this.#lookSoon();
  }

  #holdRunaway(): void {
    if (this.#wokeAtReal - this.#window.real > 1_000) {
      this.#window = { real: this.#wokeAtReal, virtual: this.#nowMs };
    } else if (this.#nowMs - this.#window.virtual > mostMsPerSecond) {
      this.#broken = new Error(
        "virtual time runs away: something is waited for that this process does not do itself",
      );
    }
  }
}

/**
 * Files, names and connections that were asked for and are not there yet. Node's public list names every open handle
 * too, which with a thousand connections takes 350 times as long.
 */
const hasRequests = (): boolean =>
  activeRequests.call(process).some((request) => requests.has(request.constructor.name));

const activeRequests = Reflect.get(process, "_getActiveRequests") as (this: unknown) => object[];

const requests = new Set([
  "FSReqCallback",
  "FSReqPromise",
  "FileHandleCloseReq",
  "GetAddrInfoReqWrap",
  "TCPConnectWrap",
  "PipeConnectWrap",
]);
