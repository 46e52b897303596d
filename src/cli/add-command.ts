import type { Command } from "commander";
import type { Shell } from "./shell.ts";

/** A command's own file, loaded when it is called for. It returns the exit code. */
export type Run = (shell: Shell, options: never, args: string[], program: Command) => Promise<number>;

/** Adds a command below another, loaded when it is called for. */
export type AddCommand = (
  parent: Command,
  usage: string,
  summary: string,
  example: string,
  load: () => Promise<{ run: Run }>,
) => Command;
