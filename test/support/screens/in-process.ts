import { runProgram } from "../../../src/cli/program.ts";
import { noLines, type Shell } from "../../../src/cli/shell.ts";
import { redactedScreen } from "../../../src/cli/questions.ts";
import { holdToSchema } from "../hold-to-schema.ts";
import { testScreen } from "./canvas.ts";
import { CallTrace, Redaction } from "../../../src/lib/index.ts";

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

interface InProcessOptions extends Pick<Shell, "simulated"> {
  isTerminal?: boolean;
  /** What Ctrl-C would do. */
  stop?: AbortSignal;
  /** Somebody at the terminal: what he types when he is asked this. */
  person?: ((question: string) => string | Promise<string>) | undefined;
  /** Called with what it writes, as it does. */
  hear?: (text: string) => void;
}

/**
 * The program as typed in `folder`, without a process of its own: starting one costs more than most commands do. For
 * where signals, pipes and what stays behind in a process are not the point. One at a time: this process changes its
 * folder for it.
 */
export async function inProcess(
  folder: string,
  args: string[],
  env: Record<string, string> = {},
  { isTerminal = false, simulated, stop = new AbortController().signal, hear, person }: InProcessOptions = {},
): Promise<Outcome> {
  const [out, err] = [testScreen({ columns: 100, isTerminal }), testScreen({ columns: 100, isTerminal })];
  for (const screen of [out, err]) {
    const { write } = screen;
    screen.write = (text) => {
      write.call(screen, text);
      hear?.(text);
    };
  }
  const redaction = new Redaction();
  const nobody = (): Promise<string> => Promise.reject(new Error("nobody can be asked here"));
  const answer = (isSecret: boolean) => async (question: string) => {
    const typed = (await person?.(question)) ?? "";
    out.write(`${question}${isSecret ? "" : typed}\n`);
    return typed;
  };
  const before = process.cwd();
  process.chdir(folder);
  try {
    const code = await runProgram(args, {
      env: { ...process.env, NO_COLOR: "1", ...env },
      calls: new CallTrace(),
      redaction,
      out: redactedScreen(out, redaction),
      err: redactedScreen(err, redaction),
      canAsk: person !== undefined,
      ask: person ? answer(false) : nobody,
      askSecret: person ? answer(true) : nobody,
      disclose: (text) => out.write(text),
      stop,
      onSecondStop: () => {},
      onLeaving: () => {},
      lines: noLines,
      simulated,
    });
    const told = { code, stdout: out.text, stderr: err.text };
    holdToSchema(args, told);
    return told;
  } finally {
    process.chdir(before);
  }
}
