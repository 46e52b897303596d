import type { JSX } from "preact";
import {
  changeRows,
  formatEstimate,
  formatNumber,
  longestChainMs,
  type ChangeRow,
} from "../../../views/index.ts";
import type { PlanAnswer, PlanQuestion } from "../../protocol.ts";
import { groupBy } from "../../../lib/index.ts";
import { useStore } from "../data/store.ts";
import { useRun } from "../data/use-run.ts";
import { Failure } from "../parts/failure.tsx";
import { Command } from "../parts/command.tsx";
import { agoText } from "../parts/time.ts";
import { useQuestion } from "../parts/use-question.ts";
import { Approve } from "./approve.tsx";
import { Changes } from "./change.tsx";

/** What would `up` do, the worst first: a page is read from its top. */
export function PlanScreen({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  return store.isStored ? <StoredPlan cluster={cluster} /> : <LivePlan cluster={cluster} />;
}

function LivePlan({ cluster }: { cluster: string }): JSX.Element {
  const store = useStore();
  const { api, now } = store;
  const question: PlanQuestion = { cluster };
  const plan = useQuestion(
    async (signal) => api?.post<PlanAnswer>("/api/plan", question, signal),
    `plan ${cluster}`,
  );
  const { answer } = plan;
  const readAgo = answer ? agoText(now.value - (api?.skewMs ?? 0) - Date.parse(answer.madeAt)) : "";
  return (
    <>
      {plan.errors.map((error, index) => (
        <Failure key={index} error={error} />
      ))}
      {answer ? (
        <PlanPanel
          plan={answer}
          aside={`reality read ${readAgo}`}
          isAsking={plan.isAsking}
          again={plan.again}
          cluster={cluster}
        />
      ) : (
        plan.isAsking && <div class="panel empty">Reading the file and comparing it with what exists…</div>
      )}
    </>
  );
}

/** A page of one run shows the plan that it carried out. */
function StoredPlan({ cluster }: { cluster: string }): JSX.Element {
  const shown = useRun(cluster);
  const plan = shown?.feed.state.plan;
  if (!plan) return <div class="panel empty">This run made no plan.</div>;
  return <PlanPanel plan={plan} aside="as this run carried it out" cluster={cluster} />;
}

interface PlanPanelProps {
  plan: Pick<PlanAnswer, "steps" | "refused" | "same"> & { planDigest?: string };
  aside: string;
  cluster: string;
  isAsking?: boolean;
  again?: (() => void) | undefined;
}

function PlanPanel({ plan, aside, cluster, isAsking = false, again }: PlanPanelProps): JSX.Element {
  const { steps, refused, same, planDigest } = plan;
  const rows = worstFirst(changeRows(steps, refused, true));
  return (
    <section class="panel">
      <header>
        <h2>{rows.length === 0 ? "No changes" : formatNumber(rows.length, "change")}</h2>
        <span class="mute">{summaryOf(rows, plan)}</span>
        <span class="push mute num">{aside}</span>
        {again && (
          <button type="button" class="toggle" disabled={isAsking} onClick={again}>
            {isAsking ? "Reading…" : "Read again"}
          </button>
        )}
      </header>
      {rows.length === 0 ? (
        <p class="empty">{formatNumber(same, "resource is", "resources are")} as the file says.</p>
      ) : (
        <>
          <Changes rows={rows} />
          <p class="note">
            {same > 0
              ? `Nothing else differs: ${formatNumber(same, "other resource is", "other resources are")} as the file says.`
              : "Nothing that exists is touched by what is created."}
          </p>
          {planDigest !== undefined && (
            <NextStep {...{ rows, cluster, steps, refused, planDigest, isAsking }} />
          )}
        </>
      )}
    </section>
  );
}

/** What is alike keeps its order. */
const worstFirst = (rows: readonly ChangeRow[]): ChangeRow[] =>
  [...groupBy(rows, ({ consequence, isRefused }) => `${consequence} ${isRefused}`).values()]
    .toReversed()
    .flat();

function NextStep(props: Parameters<typeof Approve>[0]): JSX.Element | null {
  const { session } = useStore();
  const { rows, cluster } = props;
  if (rows.every(({ isRefused }) => isRefused)) return null;
  if (session.value?.canChange === true) return <Approve {...props} />;
  return (
    <div class="approve">
      <p>To run it, type this; it shows this plan again and asks before it interrupts anything.</p>
      <Command text={`slipway up ${cluster}`} />
    </div>
  );
}

function summaryOf(rows: readonly ChangeRow[], { steps, refused }: PlanPanelProps["plan"]): string {
  if (rows.length === 0) return "";
  const stopped = new Set(refused.map(({ step }) => step));
  const usual = new Map(steps.map(({ id, usualMs = 0 }) => [id, usualMs]));
  const running = rows.filter(({ isRefused }) => !isRefused);
  const chainMs = longestChainMs(
    steps.filter(({ id }) => !stopped.has(id)),
    (id) => usual.get(id) ?? 0,
  );
  const aboutMs = Math.max(chainMs, 0, ...running.map(({ usualMs }) => usualMs));
  const about = aboutMs > 0 ? `, about ${formatEstimate(aboutMs)}` : "";
  const refusedCount = rows.length - running.length;
  const would =
    running.length === 0
      ? "none would run"
      : `${running.length === rows.length ? "all" : running.length} would run${about}`;
  return refusedCount === 0
    ? would
    : `${would}; ${refusedCount} ${refusedCount === 1 ? "is" : "are"} refused`;
}
