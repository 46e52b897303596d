import { appendFileSync } from "node:fs";
import { outputLine } from "../../src/cli/output/lines/output-line.ts";
import { commandOf, jsonCommands } from "./commands.ts";
import { heldNote, heldVariable } from "./every-command-held.ts";

/**
 * Whatever a command tells with `--json` in a test is held to the published schema, without a field that it does not
 * name: every line; numbered without a gap, of one run, and `done` at the end. A program that was killed has told less.
 */
export function holdToSchema(args: readonly string[], told: { code: number | null; stdout: string }): void {
  if (!asksForJson(args)) return;
  const lines = told.stdout
    .split("\n")
    .slice(0, -1)
    .map((text, index) => ({ text, ...outputLine.safeParse(JSON.parse(text)), index }));
  const wrong = lines.flatMap(({ error, data, text, index }) =>
    error || data.seq !== index + 1
      ? [`${text.slice(0, 400)}: ${error ? JSON.stringify(error.issues) : `number ${index + 1}`}`]
      : [],
  );
  const runs = new Set(lines.map(({ data }) => data?.run));
  if (runs.size > 1) wrong.push(`of several runs: ${[...runs].join(", ")}`);
  const last = lines.at(-1)?.data as { type: string; exitCode?: number } | undefined;
  if (told.code !== null && (last?.type !== "done" || last.exitCode !== told.code))
    wrong.push(`ended with ${told.code}, and the last line is ${JSON.stringify(last)}`);
  if (wrong.length > 0)
    throw new Error(`slipway ${args.join(" ")} is not as its schema says:\n${wrong.slice(0, 5).join("\n")}`);
  // Whoever only refuses has shown nothing of what the command tells.
  if ((told.code === 0 || told.code === 3) && lines.length > 1) note(commandOf(args));
}

/** With what there is to be held: this process has the program, and the one that reads it does not. */
function note(command: string): void {
  const file = process.env[heldVariable];
  if (file !== undefined) appendFileSync(file, heldNote(command, jsonCommands()));
}

/** What stands behind `--` is for another program. */
const asksForJson = (args: readonly string[]): boolean => {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes("--json");
};
