import { evacuateHost } from "../../../operations/index.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { runMoves } from "./run-moves.ts";

export const run = (shell: Shell, options: CommonOptions, [host = ""]: string[]): Promise<number> =>
  runMoves(shell, options, host, evacuateHost);
