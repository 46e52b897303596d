import type { JSX } from "preact";
import { groupBy } from "../../../lib/index.ts";
import { listNames, problemTitle, type Told } from "../../../views/index.ts";
import { Icon, shapeOfCheck } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";

/** Checks that say the same of several places are one row. */
type Check = Told<"check"> & { places: string[] };

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
          {check.places.length > 0 && <span class="mute"> {listNames(check.places, 4)}</span>}
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
export function CheckTable({ checks }: { checks: readonly Told<"check">[] }): JSX.Element {
  const alike = groupBy(checks, ({ status, title, needed, found, error }) =>
    JSON.stringify([status, title, needed, found, error?.why]),
  );
  const rows = [...alike.values()]
    .flatMap(([first, ...more]) => {
      const places = [first, ...more].flatMap((check) => check?.node ?? check?.host ?? []);
      return first ? [{ ...first, places: [...new Set(places)] }] : [];
    })
    .toSorted((a, b) => order[a.status] - order[b.status]);
  return <Rows kind="checks" label="Checks" items={rows} columns={columns} keyOf={({ seq }) => `${seq}`} />;
}
