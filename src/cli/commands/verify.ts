import { realClock } from "../../lib/index.ts";
import { eventStream, runName, verifyFleet } from "../../operations/index.ts";
import type { EventBody, RunEvent, Tell } from "../../plan/index.ts";
import { isCommand } from "../command-names.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import { levelsUpTo, type CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { jsonView, renderJunit, verifyView } from "../views/index.ts";
import { writeReport } from "../output/write-output.ts";

interface VerifyOptions extends CommonOptions {
  quick?: boolean;
  image?: string;
  wait: number;
  junit?: string;
}

export async function run(shell: Shell, options: VerifyOptions, clusters: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { out, err } = shell;
  const checks: Extract<EventBody, { type: "check" }>[] = [];
  const view = options.json ? jsonView(shell.lines) : verifyView({ out, err, offers: isCommand });
  const keep = (event: RunEvent) => {
    if (event.type === "check") checks.push(event);
  };
  const tellAll = eventStream({ clock: realClock, redaction: shell.redaction }, runName(realClock.now()), [
    keep,
    view.tell,
  ]);
  const levels = levelsUpTo(options.logLevel ?? "info");
  const tell: Tell = (event) => {
    if (event.type !== "log" || levels.includes(event.level)) tellAll(event);
  };
  try {
    const world = openWorld(shell, options, fleet, tell);
    const { image, wait } = options;
    const probes = { waitMs: wait * 1000, image };
    const runReport = await verifyFleet(
      { fleet, clusters, probes: options.quick ? undefined : probes },
      world,
    );
    if (options.junit !== undefined) await writeReport(options.junit, renderJunit(checks));
    return runReport.exitCode;
  } finally {
    view.close();
  }
}
