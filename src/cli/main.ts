import { CommanderError } from "commander";
import { errorData, isRequestWrong } from "../errors/index.ts";
import { buildProgram } from "./program.ts";
import { processShell, type Shell } from "./shell.ts";

const usageCode = 2;

/** Runs the program as typed. Whatever is thrown ends as an error block and an exit code, never as a stack. */
export async function main(argv: string[]): Promise<void> {
  let shell: Shell | undefined;
  const getShell = (): Shell => (shell ??= processShell());
  try {
    if (argv.length === 0) {
      const { run } = await import("./commands/home.ts");
      process.exitCode = await run(getShell());
    } else if (argv[0] === "complete") {
      const { complete } = await import("./commands/completion.ts");
      process.exitCode = await complete(argv.slice(1));
    } else {
      await buildProgram(getShell, (code) => (process.exitCode = code)).parseAsync(argv, { from: "user" });
    }
  } catch (thrown) {
    process.exitCode =
      thrown instanceof CommanderError
        ? thrown.exitCode === 0
          ? 0
          : usageCode
        : await failed(thrown, getShell());
  }
  // Pooled connections would keep the process alive for a few seconds more.
  process.stdout.write("", () => process.exit());
}

async function failed(thrown: unknown, shell: Shell): Promise<number> {
  const { renderError } = await import("./views/index.ts");
  const error = errorData(thrown);
  shell.err.write(renderError(error, {}, shell.err));
  return isRequestWrong(error) ? usageCode : 1;
}

await main(process.argv.slice(2));
