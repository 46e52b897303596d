import { parseSelection, rehearseFleet } from "../../operations/index.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { openRunStream, type RunStream } from "../run-stream.ts";
import type { Shell } from "../shell.ts";

interface RehearseOptions extends CommonOptions {
  speed: number;
  only?: string;
}

export async function run(shell: Shell, options: RehearseOptions, [file]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, { ...options, file: file ?? options.file });
  if (!fleet) return 2;
  let stream: RunStream | undefined;
  try {
    const ending = await rehearseFleet({
      fleet,
      selection: parseSelection(options.only),

      speed: options.speed,
      stop: shell.stop,
      openStream(clock) {
        stream = openRunStream(shell, options, clock);
        return stream.tell;
      },
    });
    return ending.exitCode;
  } finally {
    stream?.close();
  }
}
