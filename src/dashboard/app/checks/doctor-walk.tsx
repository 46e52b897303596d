import type { JSX } from "preact";
import type { Told } from "../../../views/index.ts";
import { Icon, shapeOfCheck } from "../parts/icon.tsx";

type Answer = Told<"check">;

/** Questions from the symptom to the cause, each below the one that led to it. */
export function DoctorWalk({ checks }: { checks: readonly Answer[] }): JSX.Element {
  const known = new Set(checks.map(({ id }) => id));
  const roots = checks.filter(({ parent }) => parent === undefined || !known.has(parent));
  return (
    <ol class="doctor">
      {roots.map((answer) => (
        <Question key={answer.seq} answer={answer} checks={checks} depth={0} />
      ))}
    </ol>
  );
}

function Question({
  answer,
  checks,
  depth,
}: {
  answer: Answer;
  checks: readonly Answer[];
  depth: number;
}): JSX.Element {
  const below = depth > 12 ? [] : checks.filter(({ parent, id }) => parent === answer.id && id !== answer.id);
  return (
    <li>
      <div class="q">
        <Icon shape={shapeOfCheck[answer.status]} label={answer.status} />
        <span>{answer.title}</span>
        <b>{answer.answer ?? (answer.status === "ok" ? "yes" : "no")}</b>
        {answer.found !== undefined && <small>{answer.found}</small>}
      </div>
      {below.length > 0 && (
        <ol>
          {below.map((next) => (
            <Question key={next.seq} answer={next} checks={checks} depth={depth + 1} />
          ))}
        </ol>
      )}
    </li>
  );
}
