import type { CommonOptions } from "../../options.ts";
import { runTheirProgram } from "./run-external-program.ts";
import type { Shell } from "../../shell.ts";

const program = {
  name: "talosctl",
  from: "https://github.com/siderolabs/talos/releases",
  example: "-n ADDRESS version",
} as const;

export const run = (shell: Shell, options: CommonOptions, args: string[]): Promise<number> =>
  runTheirProgram(program, shell, options, args);
