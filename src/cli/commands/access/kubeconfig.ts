import type { CommonOptions } from "../../options.ts";
import { printAccessFile } from "./print-access-file.ts";
import type { Shell } from "../../shell.ts";

export const run = (shell: Shell, options: CommonOptions, [cluster]: string[]): Promise<number> =>
  printAccessFile(shell, options, cluster, "kubeconfig");
