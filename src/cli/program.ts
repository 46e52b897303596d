import { CommanderError, Command, Option } from "commander";
import { diskText, errorData, isRequestWrong } from "../errors/index.ts";
import { processShell, type Shell } from "./shell.ts";
import { slipwayVersion } from "../world/index.ts";
import type { AddCommand } from "./add-command.ts";
import { addCommands } from "./commands/index.ts";
import { notUnderstood, outputRefused } from "./errors.ts";
import { logLevels } from "./options.ts";

const usageCode = 2;
const stoppedCode = 130;

/** The program as typed, in this process. */
export async function main(argv: string[]): Promise<void> {
  // From the first line on, so that a help text for a full disk is an error too.
  const shell = processShell();
  process.exitCode = await runProgram(argv, shell);
  const refused = await shell.flushed();
  if (refused) {
    const code = await tellFailure(outputRefused(diskText(refused), refused), shell);
    // What failed before says more.
    process.exitCode ||= code;
  }
  // Pooled connections would keep the process alive for a few seconds more.
  process.exit();
}

/**
 * Runs the program as typed, and gives back its exit code. Whatever is thrown ends as an error block, never as a
 * stack.
 */
export async function runProgram(argv: string[], shell: Shell): Promise<number> {
  let code = 0;
  try {
    if (argv.length === 0) {
      const { run } = await import("./commands/home.ts");
      return await run(shell);
    }
    const program = buildProgram(
      () => shell,
      (ended) => (code = ended),
    );
    if (argv[0] === "complete") {
      const { complete } = await import("./commands/completion/completion.ts");
      return await complete(program, shell, argv.slice(1));
    }
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) return tellFailure(thrown, shell);
    if (thrown.exitCode === 0) return 0;
    // A group without a command has shown its help instead.
    if (thrown.code === "commander.help") return usageCode;
    const refused = notUnderstood(thrown.message);
    return argv.includes("--json")
      ? toldAsLines(shell, () => Promise.reject(refused))
      : tellFailure(refused, shell);
  }
}

/** What a command tells as lines for programs, the last of which says how it ended, also when it failed. */
async function toldAsLines(shell: Shell, work: (within: Shell) => Promise<number>): Promise<number> {
  const { openEnvelope } = await import("./output/envelope.ts");
  const { lines, end } = openEnvelope(shell, shell.simulated?.clock);
  shell.onLeaving(() => end(stoppedCode));
  try {
    const code = await work({ ...shell, lines });
    end(code);
    return code;
  } catch (thrown) {
    const code = await tellFailure(thrown, shell);
    // To be stopped is no failure.
    end(code, code === stoppedCode ? undefined : errorData(thrown));
    return code;
  }
}

/** What failed as an error block, and the exit code it ends with. */
async function tellFailure(thrown: unknown, shell: Shell): Promise<number> {
  if (shell.stop.aborted) {
    shell.err.write(`Stopped by ${String(shell.stop.reason)}.\n`);
    return stoppedCode;
  }
  const { renderError } = await import("./views/index.ts");
  const error = errorData(thrown);
  shell.err.write(renderError(error, {}, shell.err));
  return isRequestWrong(error) ? usageCode : 1;
}

/** Builds the program. `finish` gets the exit code of the command that ran. */
export function buildProgram(shell: () => Shell, finish: (code: number) => void): Command {
  const program = new Command("slipway")
    .description("one file, running Kubernetes on your own hypervisors")
    .version(slipwayVersion, "-V, --version")
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => shell().out.write(text),
      writeErr: (text) => shell().err.write(text),
      // Told like all others, by whoever catches it.
      outputError: () => {},
    })
    .exitOverride();

  const made: Command[] = [];
  const add: AddCommand = (parent, usage, summary, example, load) => {
    const command = parent
      .command(usage)
      .description(summary)
      .addHelpText("after", `\nExample:\n  $ ${example}`);
    command.action(async (...given: unknown[]) => {
      const args = given
        .slice(0, -2)
        .flat()
        .filter((value) => typeof value === "string");
      const { run } = await load();
      const options = command.opts<{ json?: boolean }>();
      const work = (within: Shell): Promise<number> => run(within, options as never, args, program);
      finish(options.json ? await toldAsLines(shell(), work) : await work(shell()));
    });
    made.push(command);
    return command;
  };
  addCommands(program, add);
  for (const command of made) unattended(command);
  return program;
}

/** Scripts add these to whatever they call, so every command takes them, also where there is nothing to ask or to tell. */
function unattended(command: Command): void {
  const own = new Set(command.options.map((option) => option.long));
  const options = [
    new Option("-y, --yes", "go on without a question"),
    new Option("--plain", "one line per event instead of a live tree"),
    new Option("--log-level <level>", "how much to log").choices(logLevels),
  ];
  for (const option of options) if (!own.has(option.long)) command.addOption(option);
}
