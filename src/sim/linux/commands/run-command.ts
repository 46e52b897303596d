import { root, type Caller } from "../files/file-tree.ts";
import type { LinuxHost } from "../host.ts";
import { NotSimulated, splitCommand } from "../split-command.ts";
import { findProgram } from "../systemd/find-program.ts";
import { failed, type Command, type CommandCall, type Outcome } from "./command.ts";
import { hostFactCommands } from "./host-facts.ts";
import { journalctl } from "./journalctl.ts";
import { aptGet, dpkgQuery } from "./packages.ts";
import { readFileCommands } from "./read-files.ts";
import { systemctl } from "./systemctl.ts";
import { writeFileCommands } from "./write-files.ts";

const [noSuchProgram, notRunnable, notUnderstood] = [127, 126, 2];

const commands: Record<string, Command> = {
  ...readFileCommands,
  ...writeFileCommands,
  ...hostFactCommands,
  systemctl,
  journalctl,
  "dpkg-query": dpkgQuery,
  "apt-get": aptGet,
};

export interface RunRequest {
  line: string;
  by: Caller;
  stdin(): Promise<Buffer>;
  signal: AbortSignal;
}

/** Runs a command line as the user's shell would, as far as quoting goes. */
export async function runCommand(host: LinuxHost, { line, ...call }: RunRequest): Promise<Outcome> {
  try {
    const argv = splitCommand(line);
    const [first] = argv;
    if (first === undefined) return failed(0);
    return await runProgram(argv, { ...call, host }, (name, reason, code) =>
      failed(code, `bash: line 1: ${name}: ${reason}`),
    );
  } catch (thrown) {
    if (thrown instanceof NotSimulated)
      return failed(notUnderstood, `the simulated shell knows no ${thrown.message}`);
    throw thrown;
  }
}

/** The command as a person would name it, without who it is run as. */
export const plainCommand = (line: string): string => line.replace(/^sudo -n (?:-- )?/, "");

type Complain = (name: string, reason: string, code: number) => Outcome;

async function runProgram(
  [name = "", ...args]: string[],
  call: Omit<CommandCall, "args">,
  complain: Complain,
): Promise<Outcome> {
  if (name === "sudo") return runAsRoot(args, call);
  if (name === "env") return runWithSettings(args, call);
  const known = commands[name.replace(/^\/(?:usr\/)?s?bin\//, "")];
  if (known) return known({ ...call, args });
  if (!name.includes("/")) {
    const path = `/usr/local/bin/${name}`;
    if (call.host.files.find(path, root)) return runFile(path, args, call, complain);
    return complain(name, "command not found", noSuchProgram);
  }
  return runFile(name, args, call, complain);
}

/** A file of the host's own, whose program the simulator was given. */
function runFile(
  path: string,
  args: string[],
  { host }: Omit<CommandCall, "args">,
  complain: Complain,
): Outcome {
  const found = findProgram(host.files, host.world.programs, path);
  if ("refusal" in found) return complain(path, found.refusal, found.isMissing ? noSuchProgram : notRunnable);
  return found.program.run?.(host.view, args) ?? failed(1, `${path}: this is not simulated`);
}

/** The user of the seed may do everything without a password, as long as no fault stands in the way. */
async function runAsRoot(args: string[], call: Omit<CommandCall, "args">): Promise<Outcome> {
  if (call.host.fault("sudo-refused")) return failed(1, "sudo: a password is required");
  const argv = args.filter((word, index) => !(index < 2 && (word === "-n" || word === "--")));
  return runProgram(argv, { ...call, by: root }, (name, reason) =>
    failed(
      1,
      reason === "Exec format error"
        ? `sudo: unable to execute ${name}: ${reason}`
        : `sudo: ${name}: command not found`,
    ),
  );
}

function runWithSettings(args: string[], call: Omit<CommandCall, "args">): Promise<Outcome> {
  const start = args.findIndex((word) => !word.includes("="));
  return runProgram(start === -1 ? ["true"] : args.slice(start), call, (name, reason, code) =>
    failed(code, `env: ‘${name}’: ${reason === "command not found" ? "No such file or directory" : reason}`),
  );
}
