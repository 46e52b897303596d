import { readFile } from "node:fs/promises";
import { patchConfigText, readPatchFlag } from "../../../distros/talos/index.ts";
import { readInput, refusingInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { writeOutput } from "../../output/write-output.ts";

interface PatchFlags {
  patch?: string[];
  output: string;
  force?: boolean;
}

/** `talosctl machineconfig patch`. */
export const run = (shell: Shell, flags: PatchFlags, [config = ""]: string[]): Promise<number> =>
  refusingInput(shell, async () => {
    const text = await readInput(config);
    const patches = await Promise.all(
      (flags.patch ?? []).map((flag) => readPatchFlag(flag, (file) => readFile(file, "utf8"))),
    );
    await writeOutput(shell, flags.output, patchConfigText(text, config, patches), flags.force ?? false);
  });
