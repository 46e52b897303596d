import type { ErrorData } from "../../errors/index.ts";
import { realClock, type Clock } from "../../lib/index.ts";
import { runName } from "../../operations/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import type { Lines, Shell } from "../shell.ts";
import type { Line } from "./lines/output-line.ts";

/**
 * The lines of a command with `--json`. Whatever it tells passes through here, so that every line of every command has one
 * envelope: `v`, `seq` counted from 1, `at`, `ms`, `run` and `type`; and so that the last line is always a `done`.
 */
export interface Envelope {
  /** For the command. */
  lines: Lines;
  /** How it ended. A run has said so itself; for all others it is said here. What is told afterwards is not heard. */
  end(exitCode: number, error?: ErrorData): void;
}

/** What may stand before the first line of a run, whose name it gets. */
const ahead = new Set(["warning", "upgrade"]);

export function openEnvelope(
  shell: Pick<Shell, "out" | "disclose" | "redaction">,
  clock: Clock = realClock,
): Envelope {
  const startedAt = clock.now();
  let run = runName(startedAt);
  let seq = 0;
  let failure: ErrorData | undefined;
  let hasEnded = false;
  let write = (text: string): void => shell.out.write(text);
  // What stands before a run, or a `done`: only the last one is the last line.
  const held: (Line | RunEvent)[] = [];

  const stamped = (line: Line | RunEvent): object => {
    seq += 1;
    if (isOfRun(line)) return { ...line, seq };
    const now = clock.now();
    return { v: 1, seq, at: new Date(now).toISOString(), ms: Math.round(now - startedAt), run, ...line };
  };
  const textOf = (lines: (Line | RunEvent)[]): string =>
    lines.map((line) => `${JSON.stringify(stamped(line))}\n`).join("");
  /** What was held back, and this, unless it is held back too. */
  const released = (line: Line | RunEvent): (Line | RunEvent)[] => {
    if (isOfRun(line)) run = line.run;
    held.push(line);
    return line.type === "done" || ahead.has(line.type) ? [] : held.splice(0);
  };

  return {
    lines: {
      tell(...lines) {
        if (hasEnded) return;
        // A run redacts its events itself.
        const clean = lines.map((line) => (isOfRun(line) ? line : shell.redaction.redact(line)));
        const text = textOf(clean.flatMap(released));
        if (text !== "") write(text);
      },
      disclose: (line) => shell.disclose(textOf(released(line))),
      fail: (error) => void (failure = error),
      moveTo: (screen) => void (write = (text) => screen.write(text)),
    },
    end(exitCode, error = failure) {
      if (hasEnded) return;
      hasEnded = true;
      const last = held.at(-1);
      if (last?.type !== "done" || last.exitCode !== exitCode) {
        const tookMs = Math.round(clock.now() - startedAt);
        const done = { type: "done", outcome: outcomeOf(exitCode), exitCode, tookMs, error } as const;
        held.push(shell.redaction.redact(done));
      }
      write(textOf(held));
    },
  };
}

/** A run numbers, times and names its events itself; only the number is another here. */
const isOfRun = (line: Line | RunEvent): line is RunEvent => "seq" in line;

const outcomes: Record<number, "done" | "refused" | "stopped"> = {
  0: "done",
  2: "refused",
  3: "done",
  130: "stopped",
};

/** 3 is the answer to a question, such as whether something would change. */
const outcomeOf = (exitCode: number) => outcomes[exitCode] ?? "failed";
