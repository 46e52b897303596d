import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ErrorData } from "../../../errors/index.ts";
import type { Consequence, PlannedStep, Refusal } from "../../../plan/index.ts";
import { formatNumber, joinNames, type ChangeRow } from "../../../views/index.ts";
import { textToType } from "../../approval.ts";
import type { Approval, StartedRun } from "../../protocol.ts";
import { writeRoute } from "../data/route.ts";
import { useStore } from "../data/store.ts";
import { Failure } from "../parts/failure.tsx";
import { errorsOf } from "../parts/use-question.ts";

interface ApproveProps {
  rows: readonly ChangeRow[];
  steps: PlannedStep[];
  refused: readonly Refusal[];
  cluster: string;
  planDigest: string;
  /** It is being read again, and may be another in a moment. */
  isAsking: boolean;
}

/** Runs exactly this plan. What could interrupt or lose something asks for more than a click. */
export function Approve({ rows, steps, refused, cluster, planDigest, isAsking }: ApproveProps): JSX.Element {
  const store = useStore();
  const [typed, setTyped] = useState("");
  const [isStarting, setStarting] = useState(false);
  const [errors, setErrors] = useState<readonly ErrorData[]>([]);
  const stopped = new Set(refused.map(({ step }) => step));
  const wanted = textToType(steps.filter(({ id }) => !stopped.has(id)));
  const running = rows.filter(({ isRefused }) => !isRefused);
  const start = async (): Promise<void> => {
    setStarting(true);
    setErrors([]);
    const approval: Approval = wanted === undefined ? { planDigest } : { planDigest, confirm: typed };
    try {
      const begun = await store.api?.post<StartedRun>("/api/up", approval);
      if (!begun) return;
      store.started.value = new Set([...store.started.value, begun.run]);
      location.hash = writeRoute({ cluster, screen: "run", query: { run: begun.run } });
    } catch (thrown) {
      store.missed(thrown);
      setErrors(errorsOf(thrown));
      setStarting(false);
    }
  };
  return (
    <>
      <form
        class="approve"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p>
          <b>{effectOf(running)}</b> It runs exactly this plan, or refuses when anything has changed since.
        </p>
        {wanted !== undefined && (
          <label>
            Type <b class="mono">{wanted}</b> to go on
            <input
              class="field"
              value={typed}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <button
          type="submit"
          class={wanted === undefined ? "button main" : "button grave"}
          disabled={isStarting || isAsking || (wanted !== undefined && typed !== wanted)}
        >
          {isStarting ? "Starting…" : `Run ${formatNumber(running.length, "change")} on ${cluster}`}
        </button>
      </form>
      {errors.map((error, index) => (
        <Failure key={index} error={error} />
      ))}
    </>
  );
}

/** `2 nodes reboot in turn and 1 node is replaced.` */
function effectOf(rows: readonly ChangeRow[]): string {
  const tell = (one: string, many: string, ...consequences: Consequence[]): string[] => {
    const own = rows.filter(({ consequence }) => consequences.includes(consequence));
    const nodes = new Set(own.flatMap((row) => row.nodes)).size;
    if (own.length === 0) return [];
    return [
      nodes > 0
        ? formatNumber(nodes, `node ${one}`, `nodes ${many}`)
        : formatNumber(own.length, `part ${one}`, `parts ${many}`),
    ];
  };
  const effects = [
    ...tell("reboots", "reboot in turn", "reboot", "roll"),
    ...tell("is replaced", "are replaced", "replace"),
    ...tell("is removed", "are removed", "remove"),
    ...tell("is disturbed", "are disturbed", "disturb"),
    ...tell("loses data", "lose data", "data"),
  ];
  return effects.length === 0 ? "Nothing that runs is interrupted." : `${joinNames(effects)}.`;
}
