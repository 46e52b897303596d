import type { CommonOptions } from "../../options.ts";
import { runTheirProgram } from "./run-external-program.ts";
import type { Shell } from "../../shell.ts";

const program = {
  name: "kubectl",
  from: "https://kubernetes.io/docs/tasks/tools",
  example: "get nodes",
} as const;

export const run = (shell: Shell, options: CommonOptions, args: string[]): Promise<number> =>
  runTheirProgram(program, shell, options, args);
