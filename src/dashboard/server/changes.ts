import { errorData, type ErrorData } from "../../errors/index.ts";
import {
  eventStream,
  openJournal,
  planFile,
  previewFleet,
  runName,
  selectClusters,
  upFleet,
  type PlanFile,
} from "../../operations/index.ts";
import type { Tell } from "../../plan/index.ts";
import { textToType } from "../approval.ts";
import { changeUnderWay, nameNotTyped, notStartedHere, planForgotten, readOnly } from "../errors.ts";
import type { Approval, PlanQuestion, Refused, StartedRun } from "../protocol.ts";
import type { DashboardSite, OpenFleet } from "./site.ts";

/** What would be done, and doing it: one run at a time, and only what was shown before. */
export interface Changes {
  plan(question: PlanQuestion): Promise<PlanFile | Refused>;
  up(approval: Approval): Promise<StartedRun>;
  stop(started: StartedRun): StartedRun;
  /** Resolves when no run is under way, and says whether one was. */
  ended(): Promise<boolean>;
}

interface UnderWay {
  /** Unknown until its journal is open. */
  run?: string;
  stop: AbortController;
  ended: Promise<void>;
}

/** Each page holds one; more than these are nobody's any more. */
const mostShown = 16;

export function changesOf(site: DashboardSite, openFleet: () => Promise<OpenFleet>): Changes {
  const shown = new Map<string, PlanFile>();
  let underWay: UnderWay | undefined;
  const remember = (plan: PlanFile): void => {
    shown.delete(plan.planDigest);
    shown.set(plan.planDigest, plan);
    for (const digest of [...shown.keys()].slice(0, -mostShown)) shown.delete(digest);
  };
  return {
    async plan({ cluster }) {
      const found = await makePlan(site, await openFleet(), cluster);
      if ("kind" in found) remember(found);
      return found;
    },
    async up({ planDigest, confirm }) {
      if (!site.session.canChange) throw readOnly(`slipway up -f ${site.session.file}`);
      const plan = shown.get(planDigest);
      if (!plan) throw planForgotten();
      const wanted = textToType(plan.steps);
      if (wanted !== undefined && confirm?.trim() !== wanted) throw nameNotTyped(wanted);
      if (underWay) throw changeUnderWay(underWay.run ?? "that is about to begin");
      const stop = new AbortController();
      const beginning = beginRun(site, plan, stop.signal);
      const ended = beginning
        .then((begun) => begun.ended)
        .catch(() => undefined)
        .finally(() => void (underWay = undefined));
      // Before anything is awaited: two clicks at once are one run.
      const mine: UnderWay = (underWay = { stop, ended });
      const { run } = await beginning;
      mine.run = run;
      return { run };
    },
    stop({ run }) {
      if (underWay?.run !== run) throw notStartedHere(run);
      underWay.stop.abort("SIGINT");
      return { run };
    },
    async ended() {
      const last = underWay;
      await last?.ended;
      return last !== undefined;
    },
  };
}

/** As `slipway plan` makes it; where preflight fails on what it would be made from, all that stands in the way. */
async function makePlan(
  { redaction }: DashboardSite,
  { fleet, world }: OpenFleet,
  cluster: string | undefined,
): Promise<PlanFile | Refused> {
  const selection = cluster === undefined ? {} : { cluster };
  const request = { fleet, selection, until: "addons" as const, acceptDataLoss: [] };
  const madeAt = new Date(world.clock.now()).toISOString();
  const { plan, checks } = await previewFleet(request, world);
  const failures = checks.flatMap(({ status, error }) => (status === "failed" && error ? [error] : []));
  const [error, ...more] = failures.filter(isFirstOfItsKind);
  if (error) return redaction.redact({ error, ...(more.length > 0 && { more }) });
  if (!plan) throw new Error("there is no plan, and no check says why");
  return planFile(request, plan, { slipway: world.slipway, madeAt });
}

/** Several clusters may meet the same failure on the same host. */
const isFirstOfItsKind = ({ code, why }: ErrorData, index: number, all: ErrorData[]): boolean =>
  all.findIndex((other) => other.code === code && other.why === why) === index;

/** Starts what was approved, and keeps a journal of it as every run does: whoever watches reads that. */
async function beginRun(
  site: DashboardSite,
  approved: PlanFile,
  stop: AbortSignal,
): Promise<{ run: string; ended: Promise<void> }> {
  const fleet = await site.loadFleet();
  // A cluster that left the file is not in the plan any more; said before there is a run.
  selectClusters(fleet, approved.request.selection);
  let tell: Tell = () => {};
  const world = site.openWorld(fleet, AbortSignal.any([site.stop, stop]), (event) => tell(event));
  const { clock, folder } = world;
  const journal = await openJournal(folder, runName(clock.now()));
  tell = eventStream({ clock, redaction: site.redaction }, journal.run, [journal.write]);
  const confirm = (): Promise<boolean> => Promise.resolve(true);
  const running = upFleet({ fleet, ...approved.request, approved, confirm }, world);
  const ended = running.then(
    () => journal.close(),
    (thrown: unknown) => {
      tell({ type: "log", level: "error", text: errorData(thrown).why });
      journal.close();
    },
  );
  return { run: journal.run, ended };
}
