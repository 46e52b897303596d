import { setMaxListeners } from "node:events";
import { SlipwayError } from "../../../errors/index.ts";
import {
  backoffMs,
  BodyTooLargeError,
  limitTime,
  Semaphore,
  TimeLimitError,
  type CallTrace,
  type Clock,
} from "../../../lib/index.ts";
import { asFields, asText } from "./answers.ts";
import { ConnectFailure, type Connections } from "./connection.ts";
import type { Call as CallName, Params as CallParams } from "../endpoints/index.ts";
import { answerTooLarge, callTimedOut, deepCode, oddAnswer, refusal, unreachable } from "../errors.ts";
import { exchange, type Answer, type Outgoing } from "./exchange.ts";

/** What is told about every exchange. No parameters, so no secrets. */
export interface CallInfo {
  method: string;
  path: string;
  /** 0 when no answer came. */
  status: number;
  ms: number;
  attempt: number;
}

export interface CallOptions {
  url: URL;
  connections: Connections;
  /** Headers that say who calls. */
  credentials: Record<string, string>;
  clock: Clock;
  calls: CallTrace;
  timeoutMs: number;
  onCall?: ((info: CallInfo) => void) | undefined;
}

/** Sends one call of the API and unwraps its `data`. `doing` completes "Cannot …" in an error. */
export type Call<Result = unknown> = <Name extends CallName>(
  name: Name,
  doing: string,
  params: MayBeUndefined<CallParams<Name>>,
  signal?: AbortSignal,
) => Promise<Result>;

/** What is undefined is not sent. */
type MayBeUndefined<Params> = {
  [Name in keyof Params]: Params[Name] | (object extends Pick<Params, Name> ? undefined : never);
};

// Each API daemon has three workers; more connections would only queue on the other side.
const connectionsAtOnce = 12;
/** How often what the network lost is sent in all. */
export const attempts = 3;

/** The one way to the server: it owns log-in, encoding, time limits, repeats, unwrapping and errors. */
export function makeCall(options: CallOptions): Call {
  const connections = new Semaphore(connectionsAtOnce);
  const url = options.url.origin;

  return async (name, doing, params, signal) => {
    // One signal ends hundreds of calls and waits; the warning about so many listeners is meant for leaks.
    if (signal) setMaxListeners(0, signal);
    const out = encode(name, params, options);
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const sent = await connections.use(
        () =>
          options.calls.remotely(() =>
            options.calls.whileUnderWay({ protocol: "proxmox", to: url, call: name }, () =>
              send(out, doing, attempt, options, signal),
            ),
          ),
        signal,
      );
      if ("answer" in sent && sent.answer.status === 200) return unwrap(sent.answer, doing, url);
      const error = "answer" in sent ? refusedBy(sent.answer, doing, options) : sent.error;
      if (attempt >= attempts || !mayRepeat(out.method, sent)) throw error;
      await options.clock.sleep(backoffMs(attempt), signal);
    }
  };
}

type Sent = { answer: Answer } | { error: SlipwayError; wasSent: boolean; isFleeting: boolean };

async function send(
  out: Outgoing,
  doing: string,
  attempt: number,
  options: CallOptions,
  outer: AbortSignal | undefined,
): Promise<Sent> {
  const { clock, timeoutMs, connections } = options;
  const url = options.url.origin;
  const startedAt = clock.now();
  const tell = (status: number) => {
    const path = out.target.split("?")[0] ?? out.target;
    options.onCall?.({ method: out.method, path, status, ms: clock.now() - startedAt, attempt });
  };
  try {
    const answer = await limitTime(clock, timeoutMs, `no answer within ${timeoutMs} ms`, outer, (signal) =>
      exchange(connections, out, signal),
    );
    tell(answer.status);
    return { answer };
  } catch (thrown) {
    tell(0);
    outer?.throwIfAborted();
    const own = ownError(thrown);
    if (own) return { error: own, wasSent: false, isFleeting: false };
    if (thrown instanceof BodyTooLargeError) {
      return { error: answerTooLarge({ doing, url, cause: thrown }), wasSent: true, isFleeting: false };
    }
    if (thrown instanceof TimeLimitError) {
      const error = callTimedOut({ doing, url, limitMs: timeoutMs, cause: thrown });
      return { error, wasSent: true, isFleeting: false };
    }
    return {
      error: unreachable({ doing, url, cause: thrown }),
      wasSent: !(thrown instanceof ConnectFailure),
      isFleeting: fleetingCodes.has(deepCode(thrown) ?? ""),
    };
  }
}

const fleetingCodes = new Set(["ECONNRESET", "ECONNREFUSED", "EPIPE", "EAI_AGAIN"]);

/** A read may always be sent again; a change only when it never left this machine. */
function mayRepeat(method: string, sent: Sent): boolean {
  if ("answer" in sent) return method === "GET" && sent.answer.status >= 595;
  return sent.isFleeting && (method === "GET" || !sent.wasSent);
}

function encode(name: string, params: object, options: CallOptions): Outgoing {
  const [method = "", template = ""] = name.split(" ");
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const path = template.replace(/\{(\w+)\}/g, (_whole, key: string) => {
    const value = asText(rest.get(key));
    rest.delete(key);
    return encodeURIComponent(value);
  });
  const form = new URLSearchParams();
  for (const [key, value] of rest) {
    form.set(key, typeof value === "boolean" ? (value ? "1" : "0") : asText(value));
  }
  const isRead = method === "GET" || method === "DELETE";
  const query = isRead && form.size > 0 ? `?${form.toString()}` : "";
  return {
    method,
    target: `/api2/json${path}${query}`,
    host: options.url.host,
    headers: {
      ...options.credentials,
      ...(!isRead && { "content-type": "application/x-www-form-urlencoded" }),
    },
    body: isRead ? undefined : form.toString(),
  };
}

export function unwrap(answer: Answer, doing: string, url: string): unknown {
  const body = parse(answer);
  if (body === undefined) throw oddAnswer({ doing, url, found: "without JSON" });
  if (!("data" in body)) throw oddAnswer({ doing, url, found: 'JSON without "data"' });
  return body["data"];
}

export function refusedBy(
  answer: Answer,
  doing: string,
  { url: { origin: url }, credentials }: Pick<CallOptions, "url" | "credentials">,
): SlipwayError {
  if (answer.status < 400) return oddAnswer({ doing, url, found: `${answer.status} ${answer.reason}` });
  const body = parse(answer);
  const errors = Object.fromEntries(
    Object.entries(asFields(body?.["errors"])).map(([key, text]) => [key, asText(text)]),
  );
  // Errors of its HTTP layer are plain text or nothing at all; then the reason phrase has the words.
  const message = asText(body?.["message"]).trim() || answer.reason;
  const caller = /^PVEAPIToken=([^=]+)=/.exec(credentials["authorization"] ?? "")?.[1];
  const who = caller === undefined ? {} : { caller };
  return refusal({ doing, url, ...who, status: answer.status, message, errors });
}

function parse(answer: Answer): Record<string, unknown> | undefined {
  if (!answer.isJson) return undefined;
  try {
    return asFields(JSON.parse(answer.body));
  } catch {
    return undefined;
  }
}

/** An error that already is one of ours, below the wrapping of the connection. */
export function ownError(thrown: unknown): SlipwayError | undefined {
  for (let current = thrown; current instanceof Error; current = current.cause) {
    if (current instanceof SlipwayError) return current;
  }
  return undefined;
}
