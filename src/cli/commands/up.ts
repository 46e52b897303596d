import { upFleet, parseSelection, readPlanFile } from "../../operations/index.ts";
import type { Consequence, Plan, Stage } from "../../plan/index.ts";
import { junitCollector } from "../output/junit-collector.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { mayGoOn } from "../input/may-go-on.ts";
import type { CommonOptions } from "../options.ts";
import { readInput } from "../input/read-input.ts";
import { keptRun } from "../open-world.ts";
import type { Shell } from "../shell.ts";
import { writeReport } from "../output/write-output.ts";

export interface UpOptions extends CommonOptions {
  only?: string;
  until: Stage;
  acceptDataLoss?: string[];
  snapshot?: boolean;
  backupMachines?: string;
  hostLost?: string[];
  outsideWindow?: boolean;
  plan?: string;
  junit?: string;
  ui?: boolean;
}

export async function run(shell: Shell, options: UpOptions, [cluster]: string[]): Promise<number> {
  if (!options.ui) return up(shell, options, cluster);
  const { realSite, watching } = await import("../output/dashboard.ts");
  return watching(shell, options, (watch) =>
    up(shell, options, cluster, {
      onJournal: async (journal) => watch(await realSite(shell, options, { run: journal })),
    }),
  );
}

export interface UpHooks {
  /** Called when the journal is open, before anything is asked or told. */
  onJournal?(run: string): Promise<void>;
  /** Called when all is agreed to, right before the first change. */
  onBegin?(): void;
}

export async function up(
  shell: Shell,
  options: UpOptions,
  cluster: string | undefined,
  { onJournal, onBegin }: UpHooks = {},
): Promise<number> {
  const fleet = await loadOrExplain(shell, options, true);
  if (!fleet) return 2;
  const approved =
    options.plan === undefined ? undefined : readPlanFile(options.plan, await readInput(options.plan));
  const asked = approved?.request ?? {
    selection: parseSelection(options.only ?? cluster),
    until: options.until,
    acceptDataLoss: options.acceptDataLoss ?? [],
    isSnapshotted: options.snapshot ?? false,
    backupStorage: options.backupMachines,
    lostHosts: options.hostLost,
  };
  const junit = options.junit === undefined ? undefined : junitCollector("up");
  const { exitCode } = await keptRun(
    shell,
    options,
    fleet,
    async ({ name, world, show }) => {
      await onJournal?.(name);
      return upFleet(
        {
          fleet,
          ...asked,
          isOutsideWindow: options.outsideWindow,
          approved,
          async confirm(preview) {
            const { plan, clusters } = preview;
            show({ command: "up", clusters: clusters.map((known) => known.name), plan, preview });
            // Whoever hands over a plan has agreed to it.
            const isAgreed = approved !== undefined || (await confirmChanges(shell, options, plan));
            if (isAgreed) onBegin?.();
            return isAgreed;
          },
        },
        world,
      );
    },
    junit?.tell,
  );
  if (options.junit !== undefined && junit) await writeReport(options.junit, junit.text());
  return exitCode;
}

const harmless: Consequence[] = ["create", "hot"];

/** What only adds, or cannot interrupt a pod, goes on by itself; all else is asked for. */
export async function confirmChanges(shell: Shell, options: CommonOptions, plan: Plan): Promise<boolean> {
  const due = plan.changes.filter(({ waits }) => waits === undefined);
  if (due.every((change) => harmless.includes(change.consequence))) return true;
  return mayGoOn(shell, options, "some steps may interrupt pods, reboot, replace or remove machines");
}
