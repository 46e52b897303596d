import type { JSX } from "preact";
import type { RunEvent } from "../../../plan/index.ts";
import type { RunState } from "../../../views/index.ts";
import { Icon } from "../parts/icon.tsx";
import { Windowed } from "../parts/rows.tsx";
import { lineOf } from "./event-line.ts";

const lineHeight = 24;
const mostDrawn = 100;

/** Events, one line each. Of many only those in the window are drawn. */
export function LogLines({ events, state }: { events: readonly RunEvent[]; state: RunState }): JSX.Element {
  return (
    <div class="log" role="table" aria-label="Events" tabIndex={0}>
      <Windowed count={events.length} rowHeight={events.length > mostDrawn ? lineHeight : undefined}>
        {(from, to) =>
          events.slice(from, to).map((event) => <Line key={event.seq} event={event} state={state} />)
        }
      </Windowed>
    </div>
  );
}

function Line({ event, state }: { event: RunEvent; state: RunState }): JSX.Element {
  const { time, shape, about, text, tone } = lineOf(event, state);
  return (
    <div class="log-line" role="row">
      <time role="cell" title={event.at}>
        {time}
      </time>
      <span role="cell">
        <Icon shape={shape} label={event.type} />
      </span>
      <span role="cell" class="about" title={about}>
        {about}
      </span>
      <span role="cell" class={tone} title={text}>
        {text}
      </span>
    </div>
  );
}
