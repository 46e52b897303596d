import type { Caller } from "../files/file-tree.ts";
import type { LinuxHost } from "../host.ts";

/** What a program has printed, and how it ended. */
export interface Outcome {
  code: number;
  stdout: string | Buffer;
  stderr: string;
}

/** A program as it is called. */
export interface CommandCall {
  host: LinuxHost;
  args: string[];
  by: Caller;
  stdin(): Promise<Buffer>;
  /** Aborted when the program is asked to end. */
  signal: AbortSignal;
}

export type Command = (call: CommandCall) => Outcome | Promise<Outcome>;

export const printed = (stdout: string | Buffer): Outcome => ({ code: 0, stdout, stderr: "" });

export const failed = (code: number, ...stderr: string[]): Outcome => ({
  code,
  stdout: "",
  stderr: stderr.map((line) => `${line}\n`).join(""),
});

/** Several answers as one program gives them: it goes on after a failure, and ends with the worst. */
export const together = (outcomes: Outcome[]): Outcome => ({
  code: Math.max(0, ...outcomes.map(({ code }) => code)),
  stdout: Buffer.concat(outcomes.map(({ stdout }) => Buffer.from(stdout))),
  stderr: outcomes.map(({ stderr }) => stderr).join(""),
});

/** Options apart from operands: `-rf`, `-m MODE`, `--no-block`. `valued` names those that take the next word. */
export function readOptions(
  args: string[],
  valued: string[] = [],
): { options: Map<string, string>; operands: string[] } {
  const options = new Map<string, string>();
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (word.startsWith("--")) {
      const [name = "", value] = word.slice(2).split(/=(.*)/s);
      options.set(name, value ?? (valued.includes(name) ? (args[++at] ?? "") : ""));
    } else if (/^-./.test(word)) {
      for (let letter = 1; letter < word.length; letter++) {
        const name = word[letter] ?? "";
        if (!valued.includes(name)) options.set(name, "");
        else {
          const rest = word.slice(letter + 1);
          options.set(name, rest === "" ? (args[++at] ?? "") : rest);
          break;
        }
      }
    } else operands.push(word);
  }
  return { options, operands };
}
