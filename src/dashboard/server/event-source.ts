import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "../../lib/index.ts";
import type { StreamEnd } from "../protocol.ts";
import { safeHeaders } from "./page.ts";

/** Server-sent events as one answer. */
export interface EventSource {
  /** Aborted when the reader goes away. */
  gone: AbortSignal;
  /** Resolves when the reader has room for more. */
  send(events: { seq: number; text: string }[]): Promise<void>;
  end(ending: StreamEnd): void;
}

const beatEveryMs = 15_000;
/** What may wait for a reader that does not read; whoever has more to tell leaves it. */
const mostWaitingBytes = 8 * 1024 ** 2;

export function openEventSource(response: ServerResponse, clock: Clock): EventSource {
  const gone = new AbortController();
  let cancel = (): void => {};
  const beat = (): void => {
    if (!response.writableNeedDrain) response.write(": still here\n\n");
    cancel = clock.after(beatEveryMs, beat);
  };
  cancel = clock.after(beatEveryMs, beat);
  response.once("close", () => {
    cancel();
    gone.abort(new Error("the reader has gone"));
  });
  response.writeHead(200, { ...safeHeaders, "content-type": "text/event-stream; charset=utf-8" });
  response.write("retry: 1000\n\n");
  return {
    gone: gone.signal,
    async send(events) {
      if (events.length === 0 || gone.signal.aborted) return;
      if (response.writableLength > mostWaitingBytes) response.destroy();
      else if (!response.write(events.map(asText).join("")))
        await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
    },
    end(ending) {
      cancel();
      response.end(`event: end\ndata: ${JSON.stringify(ending)}\n\n`);
    },
  };
}

/** A carriage return would end the line of the stream; in JSON it stands between two parts only. */
const asText = ({ seq, text }: { seq: number; text: string }): string =>
  `id: ${seq}\ndata: ${text.replaceAll("\r", " ")}\n\n`;
