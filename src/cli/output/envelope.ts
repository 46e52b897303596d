import type { ErrorData } from "../../errors/index.ts";
import { realClock, type Clock } from "../../lib/index.ts";
import { runName } from "../../operations/index.ts";
import type { Shell } from "../shell.ts";

/**
 * The lines of a command with `--json`. Whatever it tells passes through here, so that every line of every command has one
 * envelope: `v`, `seq` counted from 1, `at`, `ms`, `run` and `type`; and so that the last line is always a `done`.
 */
export interface Envelope {
  /** For the command: what it writes to standard output is put into the envelope. */
  shell: Shell;
  /** How it ended. A run has said so itself; for all others it is said here. */
  end(exitCode: number, error?: ErrorData): void;
}

/** How a line begins that has no envelope yet, and the part of one that a run has numbered itself. */
const bare = '{"v":1,';
const numbered = /^\{"v":1,"seq":\d+,/;
const runOf = /"run":"([^"]+)"/;
/** What may stand before the first line of a run, whose name it gets. */
const ahead = /^\{"v":1,"type":"(?:warning|upgrade)"/;
const last = /^\{"v":1,"seq":\d+,"at":"[^"]*","ms":\d+,"run":"[^"]*","type":"done"/;

export function openEnvelope(shell: Shell, clock: Clock = realClock): Envelope {
  const startedAt = clock.now();
  let run = runName(startedAt);
  let seq = 0;
  let isForeign = false;
  let held: string[] = [];
  let done: string | undefined;

  const stamped = (line: string): string => {
    seq += 1;
    if (numbered.test(line)) return line.replace(numbered, `{"v":1,"seq":${seq},`);
    const now = clock.now();
    const envelope = { seq, at: new Date(now).toISOString(), ms: Math.round(now - startedAt), run };
    return `${bare}${JSON.stringify(envelope).slice(1, -1)},${line.slice(bare.length)}`;
  };
  /** What was held back, and this. A `done` waits for the end: only the last one is the last line. */
  const take = (line: string): string[] => {
    if (ahead.test(line)) {
      held.push(line);
      return [];
    }
    if (numbered.test(line)) run = runOf.exec(line.slice(0, 200))?.[1] ?? run;
    const lines = [...(done === undefined ? [] : [done]), ...held.map(stamped), stamped(line)];
    held = [];
    done = last.test(lines.at(-1) ?? "") ? lines.pop() : undefined;
    return lines;
  };
  const through =
    (write: (text: string) => void) =>
    (text: string): void => {
      const lines = text.split("\n").slice(0, -1);
      if (!text.endsWith("\n") || !lines.every((line) => line.startsWith(bare))) {
        // A schema, a picture, the file of an access: what was asked for is no line of ours.
        isForeign = true;
        return write(text);
      }
      const all = lines.flatMap(take);
      if (all.length > 0) write(`${all.join("\n")}\n`);
    };
  const out = { ...shell.out, write: through((text) => shell.out.write(text)) };
  return {
    shell: { ...shell, out, disclose: through((text) => shell.disclose(text)) },
    end(exitCode, error) {
      if (isForeign) return;
      const tookMs = Math.round(clock.now() - startedAt);
      const word = { type: "done", outcome: outcomeOf(exitCode), exitCode, tookMs, error };
      const lines = [...(held.length > 0 && done !== undefined ? [done] : []), ...held.map(stamped)];
      if (held.length > 0) done = undefined;
      lines.push(done ?? stamped(JSON.stringify({ v: 1, ...shell.redaction.redact(word) })));
      shell.out.write(`${lines.join("\n")}\n`);
    },
  };
}

const outcomes: Record<number, string> = { 0: "done", 2: "refused", 3: "done", 130: "stopped" };

/** 3 is the answer to a question, such as whether something would change. */
const outcomeOf = (exitCode: number): string => outcomes[exitCode] ?? "failed";
