import { realClock } from "../../lib/index.ts";
import {
  parseSelection,
  planFile,
  previewFleet,
  previewRemoval,
  type CheckResult,
} from "../../operations/index.ts";
import { planEvent, type EventBody, type Stage } from "../../plan/index.ts";
import { removalNotKept } from "../errors.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { showPlan } from "../output/show-plan.ts";
import { writeReport } from "../output/write-output.ts";
import { groupFailures, renderError, renderPreflight, renderWarnings } from "../views/index.ts";

interface PlanOptions extends CommonOptions {
  only?: string;
  until: Stage;
  details?: boolean;
  destroy?: boolean;
  exitCode?: boolean;
  out?: string;
  acceptDataLoss?: string[];
  snapshot?: boolean;
  backupMachines?: string;
  hostLost?: string[];
  outsideWindow?: boolean;
}

const changesFound = 3;

export async function run(shell: Shell, options: PlanOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options, true);
  if (!fleet) return 2;
  const { print, flush } = eventLines(shell, options.json ?? false);
  const startedAt = realClock.now();
  const world = openWorld(shell, options, fleet, print);
  const selection = parseSelection(options.only ?? cluster);
  const isRemoval = options.destroy ?? false;
  if (isRemoval && options.out !== undefined) throw removalNotKept();
  const request = {
    fleet,
    selection,
    until: options.until,
    acceptDataLoss: options.acceptDataLoss ?? [],
    isSnapshotted: options.snapshot ?? false,
    backupStorage: options.backupMachines,
    lostHosts: options.hostLost,
    isOutsideWindow: options.outsideWindow,
  };
  const found = isRemoval
    ? await previewRemoval({ fleet, selection, isDataLossAccepted: false }, world)
    : await previewFleet(request, world);
  flush();
  const { plan } = found;
  const preview = "checks" in found ? found : undefined;
  if (!plan) {
    if (!options.json) showPreflight(shell, preview?.checks ?? []);
    return 1;
  }
  const clusters = "removing" in found ? found.removing.names : found.clusters.map((known) => known.name);
  print(planEvent(plan));
  flush();
  if (!options.json) {
    const readAgoMs = realClock.now() - startedAt;
    const { file, details = false, hostLost = [] } = options;
    const upFlags = [
      ...hostLost.map((host) => `--host-lost ${host}`),
      ...(options.backupMachines === undefined ? [] : [`--backup-machines ${options.backupMachines}`]),
      ...(options.outsideWindow ? ["--outside-window"] : []),
    ];
    const shown = { command: "plan", file, clusters, plan, readAgoMs, isRemoval, details, preview, upFlags };
    shell.out.write(showPlan(shown, shell.out));
    if (preview) {
      showWarnings(shell, preview.checks);
      showErrors(shell, preview.checks);
    }
  }
  if (preview?.checks.some((check) => check.status === "failed")) return 1;
  if (options.out !== undefined) {
    const made = { slipway: world.slipway, madeAt: new Date(startedAt).toISOString() };
    await writeReport(
      options.out,
      `${JSON.stringify(shell.redaction.redact(planFile(request, plan, made)), null, 2)}\n`,
    );
  }
  return options.exitCode && plan.changes.length > 0 ? changesFound : 0;
}

/** Events of one moment in one write: a large plan tells thousands, and each write wakes whoever reads. */
function eventLines(shell: Shell, isTold: boolean): { print: (event: EventBody) => void; flush: () => void } {
  const events: EventBody[] = [];
  const flush = (): void => shell.lines.tell(...events.splice(0));
  return {
    flush,
    print: (event) => {
      if (!isTold || event.type === "log") return;
      if (events.length === 0) setImmediate(flush);
      events.push(event);
    },
  };
}

/** What stands instead of a plan: the checks that are in its way, and below each how to mend it. */
function showPreflight(shell: Shell, checks: CheckResult[]): void {
  shell.out.write(
    renderPreflight(
      checks.map(({ check, ...finding }) => ({ ...check, ...finding })),
      shell.out,
    ),
  );
  showErrors(shell, checks);
}

function showWarnings(shell: Shell, checks: CheckResult[]): void {
  shell.out.write(
    renderWarnings(
      checks.map(({ check, ...finding }) => ({ ...check, ...finding })),
      shell.out,
    ),
  );
}

/** Each failure once, also when several clusters meet it on the same host. */
function showErrors(shell: Shell, checks: CheckResult[]): void {
  const failures = checks.flatMap(({ check, error }) =>
    error ? [{ step: check.id, error, node: check.node }] : [],
  );
  for (const error of groupFailures(failures)) {
    shell.err.write(`\n${renderError(error, {}, shell.err)}`);
  }
}
