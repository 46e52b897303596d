import { parseSelection, rehearseFleet, type Disaster } from "../../../operations/index.ts";
import type { Fleet } from "../../../spec/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import type { Watch } from "../../output/dashboard.ts";
import { openKeptStream, openRunStream, type RunStream } from "../../output/run-stream.ts";
import type { Shell } from "../../shell.ts";

interface RehearseOptions extends CommonOptions {
  speed: number;
  only?: string;
  ui?: boolean;
  disaster?: Disaster;
}

export async function run(shell: Shell, options: RehearseOptions, [file]: string[]): Promise<number> {
  const named = { ...options, file: file ?? options.file };
  const fleet = await loadOrExplain(shell, named, true);
  if (!fleet) return 2;
  if (options.disaster) {
    const { runDisaster } = await import("./disaster.ts");
    const asked = { disaster: options.disaster, cluster: parseSelection(options.only).cluster };
    return runDisaster(shell, options, fleet, asked);
  }
  if (!options.ui) return rehearse(shell, named, fleet);
  const { watching } = await import("../../output/dashboard.ts");
  return watching(shell, options, (watch, watched) => rehearse(shell, named, fleet, { watch, watched }));
}

interface Audience {
  watch: Watch;
  /** Resolves when nobody wants to look any more. */
  watched(): Promise<void>;
}

async function rehearse(
  shell: Shell,
  options: RehearseOptions,
  fleet: Fleet,
  audience?: Audience,
): Promise<number> {
  let stream: RunStream | undefined;
  try {
    const runReport = await rehearseFleet({
      fleet,
      selection: parseSelection(options.only),
      calls: shell.calls,
      redaction: shell.redaction,
      speed: options.speed,
      stop: shell.stop,
      async openStream({ clock, shown }, rehearsal) {
        if (!audience) stream = openRunStream(shell, options, clock, { shown });
        else {
          stream = await openKeptStream(shell, options, clock, rehearsal.folder, { shown });
          const { rehearsedSite } = await import("../../output/dashboard.ts");
          await audience.watch(await rehearsedSite(shell, options, { rehearsal, fleet, run: stream.run }));
        }
        return stream.tell;
      },
      async onEnd() {
        if (!audience) return;
        stream?.close();
        stream = undefined;
        await audience.watched();
      },
    });
    return runReport.exitCode;
  } finally {
    stream?.close();
  }
}
