import { upFleet, parseSelection, readPlanFile } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import type { Consequence, Plan, Stage } from "../../plan/index.ts";
import { slipwayFolder } from "../../world/index.ts";
import { showPlan } from "../output/show-plan.ts";
import { junitCollector } from "../output/junit-collector.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../input/open-world.ts";
import { noTerminal } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { readInput } from "../input/read-input.ts";
import { openKeptStream } from "../output/run-stream.ts";
import type { Shell } from "../shell.ts";
import { writeReport } from "../output/write-output.ts";

export interface UpOptions extends CommonOptions {
  only?: string;
  until: Stage;
  acceptDataLoss?: string[];
  snapshot?: boolean;
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
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const approved =
    options.plan === undefined ? undefined : readPlanFile(options.plan, await readInput(options.plan));
  const asked = approved?.request ?? {
    selection: parseSelection(options.only ?? cluster),
    until: options.until,
    acceptDataLoss: options.acceptDataLoss ?? [],
    isSnapshotted: options.snapshot ?? false,
    lostHosts: options.hostLost,
  };
  const startedAt = realClock.now();
  const junit = options.junit === undefined ? undefined : junitCollector("up");
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    await onJournal?.(stream.run);
    const world = openWorld(shell, options, fleet, (event) => {
      junit?.tell(event);
      stream.tell(event);
    });
    const runReport = await upFleet(
      {
        fleet,
        ...asked,
        isOutsideWindow: options.outsideWindow,
        approved,
        async confirm(preview) {
          const { plan, clusters } = preview;
          const readAgoMs = realClock.now() - startedAt;
          const names = clusters.map((known) => known.name);
          if (!options.json)
            stream.view.say(
              showPlan(
                { command: "up", file: options.file, clusters: names, plan, readAgoMs, preview },
                shell.out,
              ),
            );
          // Whoever hands over a plan has agreed to it.
          const isAgreed = approved !== undefined || (await confirmChanges(shell, options, plan));
          if (isAgreed) onBegin?.();
          return isAgreed;
        },
      },
      world,
    );
    if (options.junit !== undefined && junit) await writeReport(options.junit, junit.text());
    return runReport.exitCode;
  } finally {
    stream.close();
  }
}

const harmless: Consequence[] = ["create", "hot"];

/** What only adds, or cannot interrupt a pod, goes on by itself; all else is asked for. */
export async function confirmChanges(shell: Shell, options: CommonOptions, plan: Plan): Promise<boolean> {
  const due = plan.changes.filter(({ waits }) => waits === undefined);
  if (options.yes || due.every((change) => harmless.includes(change.consequence))) return true;
  if (!shell.canAsk) throw noTerminal("some steps may interrupt pods, reboot, replace or remove machines");
  const answer = await shell.ask("Go on? [y/N] ");
  return /^y(es)?$/i.test(answer.trim());
}
