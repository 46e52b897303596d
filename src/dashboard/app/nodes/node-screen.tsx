import type { JSX } from "preact";
import {
  actionText,
  formatDuration,
  formatElapsed,
  formatMiB,
  type RunState,
  type StepState,
} from "../../../views/index.ts";
import type { Machine } from "../../../exports/graph/index.ts";
import type { TopologyAnswer } from "../../protocol.ts";
import { isGoingOn, runClock, useRun } from "../data/use-run.ts";
import { useStore } from "../data/store.ts";
import { Icon, shapeOfStep } from "../parts/icon.tsx";
import { useQuestion } from "../parts/use-question.ts";
import { Gantt } from "../run/gantt.tsx";
import { nodeTimeline } from "../run/lanes.ts";
import { roleText, shapeOfNode } from "./nodes-screen.tsx";

/** What is with this one: how it is, what it is made of, and its part of the run. */
export function NodeScreen({ cluster, node }: { cluster: string; node: string }): JSX.Element {
  const store = useStore();
  const shown = useRun(cluster);
  const { api } = store;
  const query = new URLSearchParams({ cluster, from: "file", view: "topology" });
  const topology = useQuestion(
    async (signal) => api?.get<TopologyAnswer>(`/api/topology?${query.toString()}`, signal),
    `file ${cluster}`,
  );
  const status = store.fleet.value?.clusters
    .find((each) => each.cluster === cluster)
    ?.nodes.find((each) => each.node === node);
  const planned = machineOf(topology.answer, cluster, node);
  const steps = shown ? stepsOf(shown.feed.state, cluster, node) : [];
  const nowMs = shown ? runClock(store, shown) : 0;
  return (
    <div class="stack">
      <div class="cols">
        <section class="panel">
          <header>
            <h2>{node}</h2>
            <span class="mute">
              {status
                ? `${status.state}${status.know === undefined ? "" : `: ${status.know}`}`
                : "not read yet"}
            </span>
          </header>
          <ul class="list">
            {status && (
              <li>
                <Icon shape={shapeOfNode[status.state]} />
                <span>
                  {status.state}
                  {status.software !== undefined && `, ${status.software}`}
                </span>
                <small>now</small>
              </li>
            )}
            {steps.map((step) => (
              <StepLine key={step.planned.id} step={step} nowMs={nowMs} />
            ))}
            {!status && steps.length === 0 && (
              <li>
                <Icon shape="plan" />
                <span>Nothing is known of {node} yet</span>
              </li>
            )}
          </ul>
        </section>
        <Identity status={status} planned={planned?.machine} host={planned?.host ?? status?.host} />
      </div>
      {shown && steps.some(({ startedMs }) => startedMs !== undefined) && (
        <section class="panel">
          <header>
            <h2>Its part of the run</h2>
          </header>
          <Gantt
            timeline={nodeTimeline(shown.feed.state, nowMs, steps)}
            nowMs={nowMs}
            isOver={!isGoingOn(shown)}
            cluster={cluster}
          />
        </section>
      )}
    </div>
  );
}

function StepLine({ step, nowMs }: { step: StepState; nowMs: number }): JSX.Element {
  const { status, startedMs, endedMs, wait, error, planned } = step;
  const tookMs = startedMs === undefined ? undefined : (endedMs ?? nowMs) - startedMs;
  const below =
    status === "failed" ? error?.why : status === "waiting" ? (wait?.lastSeen ?? wait?.what) : undefined;
  return (
    <li>
      <Icon shape={shapeOfStep[status]} />
      <span>
        {planned.title || actionText(step)}
        {below !== undefined && <span class="below">{below}</span>}
      </span>
      <small class="num">
        {tookMs === undefined ? "" : endedMs === undefined ? formatElapsed(tookMs) : formatDuration(tookMs)}
      </small>
    </li>
  );
}

interface IdentityProps {
  status: { role: string; address: string; vmid?: number | undefined } | undefined;
  planned: Machine | undefined;
  host: string | undefined;
}

function Identity({ status, planned, host }: IdentityProps): JSX.Element {
  const disks = planned && [
    planned.diskGiB === undefined ? "" : `${planned.diskGiB} GiB system`,
    ...planned.dataDisks.map(({ sizeGiB, for: use }) => `${sizeGiB} GiB ${use ?? "data"}`),
  ];
  const facts: [string, string | number | undefined][] = [
    ["Role", roleText(status?.role ?? planned?.role ?? "")],
    ["Host", host],
    ["Address", status?.address ?? planned?.address],
    ["VMID", status?.vmid ?? planned?.vmid],
    ["Cores", planned?.cores],
    ["Memory", planned?.memoryMiB === undefined ? undefined : formatMiB(planned.memoryMiB)],
    ["Disks", disks?.filter((disk) => disk !== "").join(", ")],
    ["Pool", planned?.pool],
  ];
  const known = facts.filter(([, value]) => value !== undefined && value !== "");
  return (
    <section class="panel">
      <header>
        <h2>Identity</h2>
      </header>
      <div class="body">
        <dl class="kv">
          {known.map(([label, value]) => (
            <Fact key={label} label={label} value={`${value ?? ""}`} />
          ))}
        </dl>
        {known.length === 0 && <span class="mute">Reading…</span>}
      </div>
    </section>
  );
}

const Fact = ({ label, value }: { label: string; value: string }): JSX.Element => (
  <>
    <dt>{label}</dt>
    <dd class={label === "Address" ? "mono" : ""}>{value}</dd>
  </>
);

const stepsOf = (state: RunState, cluster: string, node: string): StepState[] =>
  [...state.steps.values()].filter(({ planned }) => planned.node === node && planned.cluster === cluster);

function machineOf(answer: TopologyAnswer | undefined, cluster: string, node: string) {
  if (answer?.view !== "topology") return undefined;
  const hosts = answer.clusters.find(({ name }) => name === cluster)?.hosts ?? [];
  for (const { name, machines } of hosts) {
    const machine = machines.find((each) => each.name === node);
    if (machine) return { host: name, machine };
  }
  return undefined;
}
