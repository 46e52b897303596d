import type { JSX } from "preact";
import { problemTitle, type Told } from "../../../views/index.ts";
import { Icon, shapeOfCheck } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";

type Check = Told<"check">;

const order = { failed: 0, warned: 1, ok: 2, skipped: 3 } as const;

const columns: Column<Check>[] = [
  {
    title: "Check",
    kind: "state",
    cell: (check) => (
      <>
        <Icon shape={shapeOfCheck[check.status]} label={check.status} />
        <span>
          {check.status === "failed" || check.status === "warned" ? problemTitle(check) : check.title}
          {(check.node ?? check.host) !== undefined && <span class="mute"> {check.node ?? check.host}</span>}
          {check.error && (check.status === "failed" || check.status === "warned") && (
            <span class="below-check">
              {check.error.why}. <b>{check.error.next}</b>
            </span>
          )}
        </span>
      </>
    ),
  },
  { title: "Needed", kind: "mute labelled", cell: ({ needed }) => needed ?? "" },
  { title: "Found", kind: "labelled", cell: ({ found, because }) => found ?? because ?? "" },
];

/** Checks, those that failed first, each with what was needed and what was found. */
export function CheckTable({ checks }: { checks: readonly Check[] }): JSX.Element {
  const sorted = checks.toSorted((a, b) => order[a.status] - order[b.status]);
  return <Rows kind="checks" label="Checks" items={sorted} columns={columns} keyOf={({ seq }) => `${seq}`} />;
}
