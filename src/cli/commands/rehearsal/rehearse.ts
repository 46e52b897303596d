import { parseSelection, rehearseFleet, type Disaster } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import { openRunStream, type RunStream } from "../../output/run-stream.ts";
import type { Shell } from "../../shell.ts";

interface RehearseOptions extends CommonOptions {
  speed: number;
  only?: string;
  disaster?: Disaster;
}

export async function run(shell: Shell, options: RehearseOptions, [file]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, { ...options, file: file ?? options.file });
  if (!fleet) return 2;
  if (options.disaster) {
    const { runDisaster } = await import("./disaster.ts");
    const asked = { disaster: options.disaster, cluster: parseSelection(options.only).cluster };
    return runDisaster(shell, options, fleet, asked);
  }
  let stream: RunStream | undefined;
  try {
    const runReport = await rehearseFleet({
      fleet,
      selection: parseSelection(options.only),
      calls: shell.calls,
      redaction: shell.redaction,
      speed: options.speed,
      stop: shell.stop,
      openStream({ clock, shown }) {
        stream = openRunStream(shell, options, clock, { shown });
        return stream.tell;
      },
    });
    return runReport.exitCode;
  } finally {
    stream?.close();
  }
}
