import type { ErrorData } from "../../../errors/index.ts";
import type { RunEvent } from "../../../plan/index.ts";
import type { Refused, StreamEnd } from "../../protocol.ts";

/** The server answered and said no. */
export class RefusedByServer extends Error {
  readonly status: number;
  readonly error: ErrorData;
  readonly more: readonly ErrorData[];

  constructor(status: number, error: ErrorData, more: readonly ErrorData[] = []) {
    super(error.what);
    this.status = status;
    this.error = error;
    this.more = more;
  }
}

export interface StreamRequest {
  path: string;
  /** Sent as JSON; without it the stream is asked for with GET. */
  body?: unknown;
  /** The last event that was received. */
  after?: number | undefined;
  signal: AbortSignal;
  onEvents(events: RunEvent[]): void | Promise<void>;
}

/** Calls to the server this page came from, each with the token. `onHeard` hears of every answer, also the slow trickle of a stream. */
export class Api {
  /** How far this machine's clock is ahead of the server's. */
  skewMs = 0;

  private readonly token: string;
  private readonly onHeard: () => void;

  constructor(token: string, onHeard: () => void) {
    this.token = token;
    this.onHeard = onHeard;
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await (await this.call(path, { signal: signal ?? null })).json()) as T;
  }

  async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return (await (await this.call(path, this.withBody(body, signal))).json()) as T;
  }

  /** Resolves with the server's last word when it has no more to tell; throws when the connection is cut. */
  async stream({ path, body, after, signal, onEvents }: StreamRequest): Promise<StreamEnd> {
    const call = body === undefined ? { signal } : this.withBody(body, signal);
    const response = await this.call(path, call, after === undefined ? {} : { "Last-Event-ID": `${after}` });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) throw new TypeError("the answer has no body");
    const messages = new MessageReader();
    for (;;) {
      const { value, done } = await withDeadline(reader.read(), quietMs, () => reader.cancel());
      if (done) throw new TypeError("the stream was cut");
      this.onHeard();
      const found = messages.push(value);
      const events = found.filter(({ event }) => event === "message").map(({ data }) => JSON.parse(data));
      if (events.length > 0) await onEvents(events as RunEvent[]);
      const end = found.find(({ event }) => event === "end");
      if (end) return JSON.parse(end.data) as StreamEnd;
    }
  }

  private withBody(body: unknown, signal?: AbortSignal): RequestInit {
    return {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
      signal: signal ?? null,
    };
  }

  private async call(path: string, init: RequestInit, extra: Record<string, string> = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), ...extra };
    const response = await fetch(path, {
      ...init,
      headers: { ...headers, Authorization: `Bearer ${this.token}` },
      cache: "no-store",
    });
    this.onHeard();
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (Number.isFinite(date)) this.skewMs = wallMs() - date - 500;
    if (!response.ok) {
      const { error, more } = await refusal(response);
      throw new RefusedByServer(response.status, error, more);
    }
    return response;
  }
}

/** A living server says at least something in this time. */
const quietMs = 45_000;

async function withDeadline<T>(promise: Promise<T>, ms: number, cancel: () => Promise<void>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      void cancel().catch(() => {});
      reject(new TypeError("nothing was heard for too long"));
    }, ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function refusal(response: Response): Promise<Refused> {
  try {
    const refused = (await response.json()) as Refused;
    if (typeof refused.error.what === "string") return refused;
  } catch {
    // Not an answer of ours: said below in the words there are.
  }
  return {
    error: {
      code: `HTTP_${response.status}`,
      what: "Cannot get an answer from the dashboard's server",
      why: `it answered ${response.status} ${response.statusText}`.trim(),
      next: 'Start it again with "slipway ui" and open the address that it prints',
    },
  };
}

/** One message of a stream of server-sent events. */
export interface Message {
  event: string;
  id?: string | undefined;
  data: string;
}

/** Cuts a stream of server-sent events into messages, wherever its pieces were cut before. Comments only show that it lives. */
export class MessageReader {
  private rest = "";

  push(text: string): Message[] {
    const blocks = (this.rest + text).replaceAll("\r\n", "\n").split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap(readBlock);
  }
}

function readBlock(block: string): Message[] {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 && event === "message" ? [] : [{ event, id, data: data.join("\n") }];
}

/** The time of day, counted from when the page was opened: it does not jump when somebody sets the clock. */
export const wallMs = (): number => performance.timeOrigin + performance.now();
