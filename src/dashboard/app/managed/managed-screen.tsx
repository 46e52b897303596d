import type { JSX } from "preact";
import { formatNumber } from "../../../views/index.ts";
import type { ManagedCluster, ManagedCondition, ManagedPlan, ManagedRun, Session } from "../../protocol.ts";
import { managedMood } from "../data/mood.ts";
import { writeRoute } from "../data/route.ts";
import { useStore } from "../data/store.ts";
import { RunsTable } from "../fleet/runs-table.tsx";
import { Command } from "../parts/command.tsx";
import { Failure } from "../parts/failure.tsx";
import { Icon, type Shape } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";
import { ThemeButton } from "../parts/theme-button.tsx";
import { clockText } from "../parts/time.ts";

interface ManagedProps {
  cluster: string;
  management: NonNullable<Session["management"]>;
}

/** A cluster of a controller: what its object says, what would be done, and what was done. */
export function ManagedScreen({ cluster: name, management }: ManagedProps): JSX.Element {
  const store = useStore();
  const { objects, objectsError } = store;
  const cluster = objects.value?.clusters.find((each) => each.name === name);
  const runs = objects.value?.runs.filter(({ clusters }) => clusters.includes(name)) ?? [];
  return (
    <>
      <div class="crumb">
        <a href={writeRoute({})}>Fleet</a> <span>/</span> <span>{name}</span>
      </div>
      <div class="top">
        <h1>{name}</h1>
        {cluster && <Facts cluster={cluster} />}
        <div class="right">
          <Command text={`kubectl -n ${management.namespace} describe swc ${name}`} />
          <ThemeButton />
        </div>
      </div>
      <div class="stack fleet-stack">
        {objectsError.value && <Failure error={objectsError.value} />}
        {cluster ? (
          <>
            <Conditions conditions={cluster.conditions} ready={managedMood(cluster).shape} />
            <Plan plan={cluster.plan} apply={cluster.apply} />
            <Runs runs={runs} />
          </>
        ) : (
          <section class="panel">
            <p class="empty">
              {objects.value ? "There is no SlipwayCluster of this name." : "Reading the objects…"}
            </p>
          </section>
        )}
      </div>
    </>
  );
}

function Facts({ cluster }: { cluster: ManagedCluster }): JSX.Element {
  const mood = managedMood(cluster);
  const { nodes, version, hosts } = cluster;
  return (
    <>
      <span class={`pill ${mood.shape}`}>
        <Icon shape={mood.shape} label={false} />
        {mood.word}
      </span>
      <div class="facts">
        {version !== "" && version.split(" · ").map((part) => <span key={part}>{part}</span>)}
        {nodes && (
          <span>
            {nodes.ready} of {formatNumber(nodes.wanted, "node")}
          </span>
        )}
        <span>on {hosts}</span>
      </div>
    </>
  );
}

/** Ready is what the cluster is in all; some are well when they are true; what goes on is no trouble, and neither is what does not. */
const wanted = new Set(["Available", "Planned"]);

function shapeOf({ type, status }: ManagedCondition, ready: Shape): Shape {
  if (type === "Ready") return ready;
  if (status === "Unknown") return "warn";
  if (wanted.has(type)) return status === "True" ? "done" : "fail";
  if (status !== "True") return "skip";
  return type === "Drifted" ? "diff" : "run";
}

function Conditions({
  conditions,
  ready,
}: {
  conditions: readonly ManagedCondition[];
  ready: Shape;
}): JSX.Element {
  const { now } = useStore();
  const columns: Column<ManagedCondition>[] = [
    { title: "Condition", cell: ({ type }) => type },
    {
      title: "Status",
      kind: "state",
      cell: (condition) => (
        <>
          <Icon shape={shapeOf(condition, ready)} label={false} />
          <span>{condition.status}</span>
        </>
      ),
    },
    { title: "What to know", kind: "know", cell: ({ message }) => message },
    { title: "Reason", kind: "mute wide-only", cell: ({ reason }) => reason },
    {
      title: "Since",
      kind: "mute wide-only",
      cell: ({ since }) => <time dateTime={since}>{clockText(since, now.value)}</time>,
    },
  ];
  return (
    <section class="panel">
      <header>
        <h2>Conditions</h2>
      </header>
      {conditions.length === 0 ? (
        <p class="empty">No controller has looked at it yet.</p>
      ) : (
        <Rows
          kind="conditions"
          label="Conditions"
          items={conditions}
          columns={columns}
          keyOf={({ type }) => type}
        />
      )}
    </section>
  );
}

function Plan({ plan, apply }: { plan: ManagedPlan | undefined; apply: string }): JSX.Element {
  const { now } = useStore();
  const isEmpty = !plan || (plan.changes === 0 && plan.refused.length === 0);
  return (
    <section class="panel">
      <header>
        <h2>{!plan ? "No plan" : plan.changes > 0 ? formatNumber(plan.changes, "change") : "No changes"}</h2>
        <span class="mute">
          {plan ? `${plan.summary}, planned ${clockText(plan.madeAt, now.value)}` : "not planned yet"}, apply:{" "}
          {apply}
        </span>
      </header>
      {!isEmpty && (
        <div class="body">
          <ul>
            {plan.steps.map(({ title, consequence }) => (
              <li key={title}>
                {title} <span class="mute">{consequence}</span>
              </li>
            ))}
            {plan.refused.map((text) => (
              <li key={text}>
                <Icon shape="warn" /> {text}
              </li>
            ))}
          </ul>
          {plan.steps.length < plan.changes && (
            <p class="mute">and {plan.changes - plan.steps.length} more</p>
          )}
        </div>
      )}
      {plan?.approve !== undefined && (
        <div class="note">
          <Command text={plan.approve} />
        </div>
      )}
      {isEmpty && <p class="empty">{plan ? "All is as the object asks." : "There is no plan to show."}</p>}
    </section>
  );
}

function Runs({ runs }: { runs: readonly ManagedRun[] }): JSX.Element {
  const [newest] = runs;
  return (
    <section class="panel">
      <header>
        <h2>Runs</h2>
        <span class="mute">newest first, as the controller keeps them</span>
      </header>
      {newest?.why !== undefined && <p class="note">{newest.why}</p>}
      <RunsTable runs={runs} isRead />
    </section>
  );
}
