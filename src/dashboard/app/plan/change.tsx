import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Consequence } from "../../../plan/index.ts";
import { formatEstimate, type ChangeRow } from "../../../views/index.ts";

export const marks: Record<Consequence, [glyph: string, word: string]> = {
  hot: ["~", "Hot"],
  create: ["+", "Create"],
  disturb: ["!", "Disturb"],
  reboot: ["↻", "Reboot"],
  roll: ["↻", "Roll"],
  replace: ["±", "Replace"],
  remove: ["−", "Remove"],
  data: ["!", "Data at risk"],
};

const mostShown = 60;

/** One change each: its consequence, what it was and will be, and what to know. */
export function Changes({ rows }: { rows: readonly ChangeRow[] }): JSX.Element {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? rows : rows.slice(0, mostShown);
  return (
    <div class="changes">
      {shown.map((row, index) => (
        <Change key={index} row={row} />
      ))}
      {shown.length < rows.length && (
        <p class="note">
          <button type="button" class="linklike" onClick={() => setAll(true)}>
            Show {rows.length - shown.length} more
          </button>
        </p>
      )}
    </div>
  );
}

function Change({ row }: { row: ChangeRow }): JSX.Element {
  const [glyph, word] = marks[row.consequence];
  return (
    <article class="change">
      <div>
        <span class={`tag ${row.consequence}`}>
          <span aria-hidden="true">{glyph}</span>
          {row.word === undefined ? word : row.word.charAt(0).toUpperCase() + row.word.slice(1)}
        </span>
      </div>
      <h3>{row.subject}</h3>
      <span class={row.isRefused ? "eta refused" : "eta num"}>
        {row.isRefused ? "refused" : row.usualMs >= 500 ? `about ${formatEstimate(row.usualMs)}` : ""}
      </span>
      {row.detail !== "" && <Detail text={row.detail} />}
      {row.notes.length > 0 && (
        <dl>
          {row.notes.map(([label, text], index) => (
            <Note key={index} label={label} text={text} />
          ))}
        </dl>
      )}
    </article>
  );
}

const Note = ({ label, text }: { label: string; text: string }): JSX.Element => (
  <>
    <dt>{label}</dt>
    <dd>{text}</dd>
  </>
);

/** What it was is struck out where one value becomes another; several stand as they are told. */
function Detail({ text }: { text: string }): JSX.Element {
  const [before, after, ...more] = text.split(" → ");
  const isPair = before !== undefined && before !== "" && after !== undefined && more.length === 0;
  return (
    <div class="from-to">
      {isPair ? (
        <>
          <s>{before}</s> → {after}
        </>
      ) : (
        text.replace(/^ → /, "")
      )}
    </div>
  );
}
