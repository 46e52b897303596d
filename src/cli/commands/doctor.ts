import { realClock } from "../../lib/index.ts";
import {
  diagnoseFleet,
  eventStream,
  parseSelection,
  runName,
  type Diagnosis,
} from "../../operations/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import { levelsUpTo, type CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { renderAnswer, renderDiagnosis, renderDoctorHead } from "../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const view = options.json ? jsonReader(shell, options) : treeReader(shell);
  const tell = eventStream({ clock: realClock, redaction: shell.redaction }, runName(realClock.now()), [
    view.read,
  ]);
  const world = openWorld(shell, options, fleet, tell);
  const runReport = await diagnoseFleet(
    { fleet, selection: parseSelection(cluster), onDiagnosis: view.onDiagnosis },
    world,
  );
  return runReport.exitCode;
}

interface Reader {
  read(event: RunEvent): void;
  onDiagnosis(diagnosis: Diagnosis, tookMs: number): void;
}

function jsonReader(shell: Shell, options: CommonOptions): Reader {
  const levels = levelsUpTo(options.logLevel ?? "info");
  return {
    read: (event) => {
      if (event.type !== "log" || levels.includes(event.level)) shell.lines.tell(event);
    },
    onDiagnosis: () => {},
  };
}

/** Prints each question as it is answered, below the one that led to it. */
export function treeReader({ out, err }: Pick<Shell, "out" | "err">): Reader {
  const depths = new Map<string, number>();
  let current = "";
  return {
    read(event) {
      if (event.type !== "check" || event.phase !== "doctor") return;
      if (event.cluster !== undefined && event.cluster !== current) {
        if (current !== "") out.write("\n");
        current = event.cluster;
        depths.clear();
        out.write(renderDoctorHead(current, out));
      }
      const depth = event.parent === undefined ? 0 : (depths.get(event.parent) ?? 0) + 1;
      depths.set(event.id, depth);
      out.write(renderAnswer(event, depth, out));
    },
    onDiagnosis: (diagnosis, tookMs) =>
      (diagnosis.cause ? err : out).write(
        renderDiagnosis({ ...diagnosis, tookMs }, diagnosis.cause ? err : out),
      ),
  };
}
