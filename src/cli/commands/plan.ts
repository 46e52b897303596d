import { realClock, withoutSecrets } from "../../lib/index.ts";
import { parseSelection, planFile, previewFleet, previewRemoval } from "../../operations/index.ts";
import { planEvent, type EventBody, type Stage } from "../../plan/index.ts";
import { removalNotKept } from "../errors.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { showErrors, showPreflight, showWarnings } from "../show-preflight.ts";
import { showPlan } from "../show-plan.ts";
import { writeReport } from "../write-output.ts";

interface PlanOptions extends CommonOptions {
  only?: string;
  until: Stage;
  details?: boolean;
  destroy?: boolean;
  exitCode?: boolean;
  out?: string;
  acceptDataLoss?: string[];
  snapshot?: boolean;
}

const changesFound = 3;

export async function run(shell: Shell, options: PlanOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options, true);
  if (!fleet) return 2;
  const print = (event: EventBody): void => {
    if (options.json && event.type !== "log")
      shell.out.write(`${JSON.stringify(withoutSecrets({ v: 1, ...event }))}\n`);
  };
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
  };
  const found = isRemoval
    ? await previewRemoval({ fleet, selection, isDataLossAccepted: false }, world)
    : await previewFleet(request, world);
  const { plan } = found;
  const preview = "checks" in found ? found : undefined;
  if (!plan) {
    if (!options.json) showPreflight(shell, preview?.checks ?? []);
    return 1;
  }
  const clusters = "going" in found ? found.going.names : found.clusters.map((known) => known.name);
  print(planEvent(plan));
  if (!options.json) {
    const readAgoMs = realClock.now() - startedAt;
    const { file, details = false } = options;
    shell.out.write(
      showPlan(
        { command: "plan", file, clusters, plan, readAgoMs, isRemoval, details, ...(preview && { preview }) },
        shell.out,
      ),
    );
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
      `${JSON.stringify(withoutSecrets(planFile(request, plan, made)), null, 2)}\n`,
    );
  }
  return options.exitCode && plan.changes.length > 0 ? changesFound : 0;
}
