import readline from "node:readline/promises";
import { Writable } from "node:stream";
import { learnSecret, withoutSecrets } from "../lib/index.ts";
import { screenFor, type Screen } from "./views/index.ts";

/** The terminal a command runs in: the only place that knows `process`. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  out: Screen;
  err: Screen;
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

export function processShell(): Shell {
  const { env, stdin, stdout, stderr } = process;
  const stop = new AbortController();
  let lastWords = (): void => {};
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!stop.signal.aborted) {
      stop.abort(signal);
      return;
    }
    lastWords();
    process.exit(130);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A reader that went away (`slipway up | head`) stops a run like Ctrl-C; the second attempt to write changes nothing.
  const onClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== "EPIPE") throw error;
    stop.abort("SIGPIPE");
  };
  stdout.on("error", onClosedPipe);
  stderr.on("error", onClosedPipe);
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
  const askSecret = async (question: string): Promise<string> => {
    stderr.write(question);
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
    const answer = await ask("", { output: unseen, terminal: true });
    stderr.write("\n");
    learnSecret(answer);
    return answer;
  };
  return {
    env,
    out: screenFor(stdout, env),
    // What is shown on purpose goes to standard output; nothing here ever is.
    err: withoutSecretsOn(screenFor(stderr, env)),
    canAsk: stdin.isTTY,
    ask: (question) => ask(question, { output: stdout }),
    askSecret,
    asker: stdin.isTTY ? askSecret : undefined,
    stop: stop.signal,
    onSecondStop(tell) {
      lastWords = tell;
    },
  };
}

/** Its size stays live: it is read anew for every drawing. */
const withoutSecretsOn = (screen: Screen): Screen =>
  Object.create(screen, {
    write: { value: (text: string) => screen.write(withoutSecrets(text)) },
  }) as Screen;
