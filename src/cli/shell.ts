import { isatty } from "node:tty";
import { CallTrace, Redaction, type Clock, type Dial } from "../lib/index.ts";
import type { ErrorData } from "../errors/index.ts";
import type { RunEvent } from "../plan/index.ts";
import type { Line } from "./output/lines/output-line.ts";
import { questionsOn } from "./questions.ts";
import type { Screen } from "./views/index.ts";

/** The terminal a command runs in: the only place that knows `process`. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  /** Calls to the outside, as they happen. */
  calls: CallTrace;
  /** Secrets that no text may hold. */
  redaction: Redaction;
  /** Registered secrets get onto neither of them. */
  out: Screen;
  err: Screen;
  /** Writes to standard output as it is: for what was asked for and is secret. */
  disclose(text: string): void;
  /** Where a command with `--json` tells what it would show otherwise. Without it nobody listens. */
  lines: Lines;
  /** Prompts appear only when somebody can answer them. */
  canAsk: boolean;
  ask(question: string): Promise<string>;
  /** The answer is not shown while it is typed. */
  askSecret(question: string): Promise<string>;
  /** The same, and absent where nobody can answer. */
  asker?: ((question: string) => Promise<string>) | undefined;
  /** Aborted by the first Ctrl-C or termination signal; the second ends the program. */
  stop: AbortSignal;
  /** Called once, right before a second Ctrl-C ends the program. */
  onSecondStop(tell: () => void): void;
  /** The same, after that: for the last line of all. */
  onLeaving(tell: () => void): void;
  /** Time and wires of a simulated datacenter in this process; absent: those of this computer. */
  simulated?: { clock: Clock; dial: Dial } | undefined;
}

/** Lines for programs. They are handed over as plain objects; what all of them have in common is added on the way. */
export interface Lines {
  /** Several in one write: a large plan tells thousands, and each write wakes whoever reads. */
  tell(...lines: (Line | RunEvent)[]): void;
  /** What was asked for and is secret. */
  disclose(line: Line): void;
  /** What went wrong, where it is not thrown: the last line says it. */
  fail(error: ErrorData): void;
  /** From now on they go here: standard output is taken. */
  moveTo(screen: Pick<Screen, "write">): void;
}

export const noLines: Lines = { tell: () => {}, disclose: () => {}, fail: () => {}, moveTo: () => {} };

/** Resolves when the user wants it to end. */
export const untilStopped = ({ stop }: Pick<Shell, "stop">): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener("abort", () => resolve(), { once: true });
  });

export interface ProcessShell extends Shell {
  /** Waits until all is written, and says why standard output did not take it; a reader that went away is no reason. */
  flushed(): Promise<Error | undefined>;
}

export function processShell(): ProcessShell {
  const { env, stdout } = process;
  const canAsk = isatty(0);
  const calls = new CallTrace();
  const redaction = new Redaction();
  const stopping = stopBySignals(calls, (text) => err.write(text));
  const output = watchOutput(stopping.stop);
  const { out, err, ask, askSecret } = questionsOn(process, redaction, stopping.stop.signal, () =>
    stopping.onSignal("SIGINT"),
  );
  return {
    env,
    calls,
    redaction,
    out,
    err,
    disclose: (text) => void stdout.write(text),
    lines: noLines,
    canAsk,
    ask,
    askSecret,
    asker: canAsk ? askSecret : undefined,
    stop: stopping.stop.signal,
    onSecondStop: stopping.onSecondStop,
    onLeaving: stopping.onLeaving,
    async flushed() {
      // The error of a write is told after the write itself has ended.
      await new Promise((resolve) => stdout.write("", () => setImmediate(resolve)));
      return output.refused();
    },
  };
}

interface Stopping {
  stop: AbortController;
  onSignal(signal: NodeJS.Signals): void;
  onSecondStop(tell: () => void): void;
  onLeaving(tell: () => void): void;
}

/** How long a command may take to stop without a word about it. */
const patienceMs = 1_500;

/** The first signal stops the run, the second ends the program. */
function stopBySignals(calls: CallTrace, say: (text: string) => void): Stopping {
  const stop = new AbortController();
  let lastWords: (() => void) | undefined;
  let leaving: (() => void) | undefined;
  // A run tells by itself what it brings to a safe point.
  const sayWhatIsAwaited = (): void => {
    if (lastWords !== undefined) return;
    const [first = "what is under way", ...more] = calls.underWay().map(({ call, to }) => `${call} at ${to}`);
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    say(`Stopping: still waiting for ${first}${others}. Ctrl-C again ends it at once.\n`);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!stop.signal.aborted) {
      stop.abort(signal);
      setTimeout(sayWhatIsAwaited, patienceMs).unref();
      return;
    }
    lastWords?.();
    leaving?.();
    process.exit(130);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A terminal that went away ends a run as SIGTERM does; whatever else it sends must not cut the run short.
  process.on("SIGHUP", () => {
    if (!stop.signal.aborted) onSignal("SIGTERM");
  });
  return {
    stop,
    onSignal,
    onSecondStop(tell) {
      lastWords = tell;
    },
    onLeaving(tell) {
      leaving = tell;
    },
  };
}

/** Says why standard output did not take all, if it did not. */
function watchOutput(stop: AbortController): { refused(): Error | undefined } {
  const { stdout, stderr } = process;
  let refused: Error | undefined;
  // A reader that went away (`slipway up | head`) stops a run like Ctrl-C; the second attempt to write changes nothing. A
  // full disk does not: half a cluster helps nobody. It is told at the end.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") stop.abort("SIGPIPE");
    else refused ??= error;
  });
  // Where nobody can be told of a failure, there is nobody to tell that either.
  stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") stop.abort("SIGPIPE");
  });
  return { refused: () => refused };
}
