import { expect, test } from "vitest";
import { runProgramWith } from "./run-program.ts";

const run = runProgramWith({ PATH: process.env["PATH"], HOME: "/home/somebody", SECRET: "x" });
const never = new AbortController().signal;

test("runProgram() gives a program its input and nothing of the user's environment it does not need", async () => {
  const lines: string[] = [];
  const outcome = await run("sh", ["-c", "cat; echo $HOME$SECRET-$MINE; echo oh >&2; exit 3"], {
    stdin: "in\n",
    env: { MINE: "mine" },
    signal: never,
    onLine: (stream, line) => lines.push(`${stream} ${line}`),
  });
  expect(outcome).toEqual({ code: 3, stdout: "in\n-mine\n", stderr: "oh\n" });
  expect(lines.toSorted()).toEqual(["stderr oh", "stdout -mine", "stdout in"]);
});

test("runProgram() asks a program to end, and waits until it has", async () => {
  const stop = new AbortController();
  const marks: string[] = [];
  const running = run("sh", ["-c", "trap 'echo tidy; exit 0' TERM; echo on; while :; do sleep 0.05; done"], {
    signal: stop.signal,
    onLine: (_stream, line) => {
      marks.push(line);
      if (line === "on") stop.abort(new Error("enough"));
    },
  });
  await expect(running).rejects.toThrow("enough");
  expect(marks).toEqual(["on", "tidy"]);
});

test("runProgram() says when there is no such program, and starts none when it is too late", async () => {
  await expect(run("no-such-program", [], { signal: never })).rejects.toMatchObject({ code: "ENOENT" });
  await expect(run("sh", [], { signal: AbortSignal.abort(new Error("late")) })).rejects.toThrow("late");
});
