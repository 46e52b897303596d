import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface Column<T> {
  title: string;
  kind?: string;
  cell(item: T): ComponentChildren;
}

export interface RowsProps<T> {
  /** Names the columns' widths in the style sheet. */
  kind: string;
  label: string;
  items: readonly T[];
  columns: readonly Column<T>[];
  keyOf(item: T): string;
  /** Where a row leads; its first cell is the link then. */
  hrefOf?(item: T): string | undefined;
}

/** More rows than this are drawn as far as they are in the window. */
const mostDrawn = 120;
const rowHeight = { wide: 38, phone: 82 };

/** A table whose rows are links: one of them is in the order of tab, `j` and `k` go on from there. */
export function Rows<T>(props: RowsProps<T>): JSX.Element {
  const { kind, label, items, columns } = props;
  const isWindowed = items.length > mostDrawn;
  return (
    <div
      class={`rows ${kind}${isWindowed ? " windowed" : ""}`}
      role="table"
      aria-label={label}
      aria-rowcount={items.length + 1}
    >
      <div class="row head" role="row">
        {columns.map(({ title, kind: of = "" }) => (
          <div key={title} role="columnheader" class={of}>
            {title}
          </div>
        ))}
      </div>
      <Windowed count={items.length} rowHeight={isWindowed ? currentRowHeight() : undefined}>
        {(from, to) =>
          items
            .slice(from, to)
            .map((item, index) => (
              <Row
                key={props.keyOf(item)}
                {...props}
                item={item}
                index={from + index}
                height={isWindowed ? currentRowHeight() : undefined}
              />
            ))
        }
      </Windowed>
    </div>
  );
}

const currentRowHeight = (): number =>
  matchMedia("(max-width: 760px)").matches ? rowHeight.phone : rowHeight.wide;

function Row<T>(props: RowsProps<T> & { item: T; index: number; height: number | undefined }): JSX.Element {
  const { item, columns, hrefOf, index, height } = props;
  const href = hrefOf?.(item);
  return (
    <div
      class={href === undefined ? "row" : "row is-link"}
      role="row"
      aria-rowindex={index + 2}
      style={height === undefined ? undefined : { height: `${height}px` }}
    >
      {columns.map(({ title, kind = "", cell }, column) => (
        <div key={title} role="cell" class={kind} data-label={title}>
          {column === 0 && href !== undefined ? (
            <a class="open" href={href} tabIndex={index === 0 ? 0 : -1}>
              {cell(item)}
            </a>
          ) : (
            cell(item)
          )}
        </div>
      ))}
    </div>
  );
}

interface WindowedProps {
  count: number;
  /** Undefined: all are drawn, each as high as it likes. */
  rowHeight: number | undefined;
  children(from: number, to: number): ComponentChildren;
}

/** Of many rows of one height only those in the window, with a margin; the rest is empty space. */
export function Windowed({ count, rowHeight: height, children }: WindowedProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<readonly [number, number]>([0, 60]);
  useEffect(() => {
    if (height === undefined) return;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / height) - margin);
      const last = Math.min(count, Math.ceil((innerHeight - top) / height) + margin);
      // Moved in steps, so that most frames of a scroll draw nothing.
      const from = Math.floor(first / step) * step;
      const to = Math.ceil(Math.max(last, first + 1) / step) * step;
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    const later = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
    };
  }, [count, height]);
  if (height === undefined) return <>{children(0, count)}</>;
  const [from, wantedTo] = range;
  const to = Math.min(count, wantedTo);
  return (
    <div
      ref={box}
      role="rowgroup"
      style={{ paddingTop: `${from * height}px`, paddingBottom: `${Math.max(0, count - to) * height}px` }}
    >
      {children(from, to)}
    </div>
  );
}

const margin = 12;
const step = 8;
