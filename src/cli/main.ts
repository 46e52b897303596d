import { CommanderError } from "commander";
import { diskWords, errorData, isRequestWrong } from "../errors/index.ts";
import { outputRefused } from "./errors.ts";
import { buildProgram } from "./program.ts";
import { processShell, type Shell } from "./shell.ts";

const usageCode = 2;
const stoppedCode = 130;

/** Runs the program as typed. Whatever is thrown ends as an error block and an exit code, never as a stack. */
export async function main(argv: string[]): Promise<void> {
  // From the first line on, so that a help text for a full disk is an error too.
  const shell = processShell();
  try {
    if (argv.length === 0) {
      const { run } = await import("./commands/home.ts");
      process.exitCode = await run(shell);
    } else if (argv[0] === "complete") {
      const { complete } = await import("./commands/completion.ts");
      process.exitCode = await complete(argv.slice(1));
    } else {
      await buildProgram(
        () => shell,
        (code) => (process.exitCode = code),
      ).parseAsync(argv, { from: "user" });
    }
  } catch (thrown) {
    process.exitCode =
      thrown instanceof CommanderError
        ? thrown.exitCode === 0
          ? 0
          : usageCode
        : await failed(thrown, shell);
  }
  const refused = await shell.flushed();
  if (refused) {
    const code = await failed(outputRefused(diskWords(refused), refused), shell);
    // What failed before says more.
    process.exitCode ||= code;
  }
  // Pooled connections would keep the process alive for a few seconds more.
  process.exit();
}

async function failed(thrown: unknown, shell: Shell): Promise<number> {
  if (shell.stop.aborted) {
    shell.err.write(`Stopped by ${String(shell.stop.reason)}.\n`);
    return stoppedCode;
  }
  const { renderError } = await import("./views/index.ts");
  const error = errorData(thrown);
  shell.err.write(renderError(error, {}, shell.err));
  return isRequestWrong(error) ? usageCode : 1;
}

await main(process.argv.slice(2));
