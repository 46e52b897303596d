import readline from "node:readline/promises";
import { Writable } from "node:stream";
import { callsUnderWay, learnSecret } from "../lib/index.ts";
import { quietScreens, withoutSecretsOn } from "./quiet-screens.ts";
import { screenFor, type Screen } from "./views/index.ts";

/** The terminal a command runs in: the only place that knows `process`. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  /** No secret this process knows gets onto either of them. */
  out: Screen;
  err: Screen;
  /** Writes to standard output as it is: for what was asked for and is secret. */
  disclose(text: string): void;
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
}

export interface ProcessShell extends Shell {
  /** Waits until all is written, and says why standard output did not take it; a reader that went away is no reason. */
  flushed(): Promise<Error | undefined>;
}

export function processShell(): ProcessShell {
  const { env, stdin, stdout, stderr } = process;
  const stop = new AbortController();
  let lastWords: (() => void) | undefined;
  // A run tells by itself what it brings to a safe point.
  const sayWhatIsAwaited = (): void => {
    if (lastWords !== undefined) return;
    const [first = "what is under way", ...more] = callsUnderWay();
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    err.write(`Stopping: still waiting for ${first}${others}. Ctrl-C again ends it at once.\n`);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!stop.signal.aborted) {
      stop.abort(signal);
      setTimeout(sayWhatIsAwaited, patienceMs).unref();
      return;
    }
    lastWords?.();
    process.exit(130);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A terminal that went away ends a run as SIGTERM does; whatever else it sends must not cut the run short.
  process.on("SIGHUP", () => {
    if (!stop.signal.aborted) onSignal("SIGTERM");
  });
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
  const ask = async (question: string, output: { output: NodeJS.WritableStream; terminal?: true }) => {
    const lines = readline.createInterface({ input: stdin, ...output });
    // While a question stands, readline owns Ctrl-C.
    lines.once("SIGINT", () => onSignal("SIGINT"));
    try {
      return await lines.question(question, { signal: stop.signal });
    } finally {
      lines.close();
    }
  };
  const screens = quietScreens();
  const [out, err] = [stdout, stderr].map((stream) =>
    screens.over(withoutSecretsOn(screenFor(stream, env))),
  ) as [Screen, Screen];
  const askSecret = (question: string): Promise<string> =>
    screens.during(async () => {
      stderr.write(`${stderr.isTTY ? showCursor : ""}${question}`);
      const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
      const answer = await ask("", { output: unseen, terminal: true });
      // A live tree goes on where it was, as if nothing had been asked.
      stderr.write(stderr.isTTY ? clearedLines(question, stderr.columns) : "\n");
      learnSecret(answer);
      return answer;
    });
  return {
    env,
    out,
    err,
    disclose: (text) => void stdout.write(text),
    canAsk: stdin.isTTY,
    ask: (question) => ask(question, { output: stdout }),
    askSecret,
    asker: stdin.isTTY ? askSecret : undefined,
    stop: stop.signal,
    onSecondStop(tell) {
      lastWords = tell;
    },
    async flushed() {
      // The error of a write is told after the write itself has ended.
      await new Promise((resolve) => stdout.write("", () => setImmediate(resolve)));
      return refused;
    },
  };
}

/** How long a command may take to stop without a word about it. */
const patienceMs = 1_500;
const showCursor = "\u001b[?25h";

/** Back to the first line of the question, with nothing from there on. */
function clearedLines(question: string, columns: number): string {
  const above = Math.floor(Math.max(0, question.length - 1) / (columns || 80));
  return `\r${above > 0 ? `\u001b[${above}A` : ""}\u001b[J`;
}
