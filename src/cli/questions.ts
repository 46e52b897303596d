import readline from "node:readline/promises";
import { Writable } from "node:stream";
import type { Redaction } from "../lib/index.ts";
import { screenFor, type Screen } from "./views/index.ts";

type Streams = Pick<NodeJS.Process, "env" | "stdin" | "stdout" | "stderr">;

/** A terminal on which somebody is asked something now and then. */
export interface Questions {
  out: Screen;
  err: Screen;
  ask(question: string): Promise<string>;
  /** The answer is not shown while it is typed. */
  askSecret(question: string): Promise<string>;
}

/** `interrupt` is called by Ctrl-C while a question stands. Standard input is opened by the first question only. */
export function questionsOn(
  streams: Streams,
  redaction: Redaction,
  stop: AbortSignal,
  interrupt: () => void,
): Questions {
  const { env, stdout, stderr } = streams;
  const screens = quietScreens();
  const screenOn = (stream: NodeJS.WriteStream): Screen =>
    screens.over(redactedScreen(screenFor(stream, env), redaction));
  const ask = async (question: string, output: { output: NodeJS.WritableStream; terminal?: true }) => {
    const lines = readline.createInterface({ input: streams.stdin, ...output });
    // While a question stands, readline owns Ctrl-C.
    lines.once("SIGINT", interrupt);
    try {
      return await lines.question(question, { signal: stop });
    } finally {
      lines.close();
    }
  };
  return {
    out: screenOn(stdout),
    err: screenOn(stderr),
    ask: (question) => ask(question, { output: stdout }),
    askSecret: (question) =>
      screens.during(async () => {
        stderr.write(`${stderr.isTTY ? showCursor : ""}${question}`);
        const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
        const answer = await ask("", { output: unseen, terminal: true });
        // A live tree goes on where it was, as if nothing had been asked.
        stderr.write(stderr.isTTY ? clearedLines(question, stderr.columns) : "\n");
        redaction.register(answer);
        return answer;
      }),
  };
}

const showCursor = "\u001b[?25h";

/** Back to the first line of the question, with nothing from there on. */
function clearedLines(question: string, columns: number): string {
  const above = Math.floor(Math.max(0, question.length - 1) / (columns || 80));
  return `\r${above > 0 ? `\u001b[${above}A` : ""}\u001b[J`;
}

/** Screens that stay as they are while somebody is asked something. What is written meanwhile comes afterwards. */
export interface QuietScreens {
  over(screen: Screen): Screen;
  during<T>(asking: () => Promise<T>): Promise<T>;
}

export function quietScreens(): QuietScreens {
  const held: (() => void)[] = [];
  let questions = 0;
  const write = (writing: () => void): void => {
    if (questions > 0) held.push(writing);
    else writing();
  };
  return {
    over: (screen) => writingWith(screen, (text) => write(() => screen.write(text))),
    async during(asking) {
      questions++;
      try {
        return await asking();
      } finally {
        questions--;
        if (questions === 0) for (const writing of held.splice(0)) writing();
      }
    },
  };
}

/** Nothing registered as a secret is written on it. */
export const redactedScreen = (screen: Screen, redaction: Redaction): Screen =>
  writingWith(screen, (text) => screen.write(redaction.redact(text)));

/** Its size stays live: it is read again for every drawing. */
const writingWith = (screen: Screen, write: (text: string) => void): Screen =>
  Object.create(screen, { write: { value: write } }) as Screen;
