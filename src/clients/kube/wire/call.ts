import { setMaxListeners } from "node:events";
import type http from "node:http";
import https from "node:https";
import { SlipwayError } from "../../../errors/index.ts";
import {
  BodyTooLargeError,
  limitTime,
  readBody,
  TimeLimitError,
  type CallTrace,
  type Clock,
} from "../../../lib/index.ts";
import { isTrustError, type Ending } from "./agent.ts";
import {
  answerTooLarge,
  answerUnreadable,
  serverSilent,
  serverUnreachable,
  serverUntrusted,
} from "../errors.ts";
import { callRefused } from "./refusals.ts";
import { causesOf, isStatus, type Status } from "../kinds/status.ts";

/** One call: what a person would call it, and how it goes over the wire. */
export interface Call {
  /** `read node "cp-1"`: completes "Cannot … in Kubernetes". */
  what: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Record<string, string | undefined>;
  body?: unknown;
  contentType?: string;
  accept?: string;
  signal?: AbortSignal | undefined;
}

export interface Wire {
  server: string;
  agent: https.Agent;
  clock: Clock;
  calls: CallTrace;
  timeoutMs: number;
  writeTimeoutMs: number;
  readToken(): string | undefined;
  /** Told what the server lets pass but warns of, such as pods that Pod Security would refuse. */
  onWarning?: ((text: string) => void) | undefined;
}

/** How often a call that the server puts off is sent again before that becomes its failure. */
const mostRepeats = 4;
const longestPauseMs = 10_000;

/** The way of every call: time limit, answer unwrapped, every failure told once in our words. */
export async function callKube(wire: Wire, call: Call): Promise<unknown> {
  const response = await patientCall(wire, call);
  const tried = { what: call.what, server: wire.server };
  const isJson = response.headers["content-type"]?.includes("json") ?? false;
  if (!isJson) return response.text;
  try {
    return JSON.parse(response.text) as unknown;
  } catch (error) {
    throw answerUnreadable(tried, error);
  }
}

interface Answer {
  code: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A server with too much to do refuses before it has done anything, and says when to come back. */
async function patientCall(wire: Wire, call: Call): Promise<Answer> {
  for (let repeats = 0; ; repeats += 1) {
    const answer = await wire.calls.run(
      traceOf(wire, call),
      () =>
        guarded(wire, call, async (signal): Promise<Answer> => {
          const response = await send(wire, call, signal);
          return {
            code: response.statusCode ?? 0,
            headers: response.headers,
            text: await readText(response),
          };
        }),
      ({ code }) => String(code),
    );
    if (answer.code >= 200 && answer.code < 300) {
      for (const text of warningsIn(answer.headers)) wire.onWarning?.(text);
      return answer;
    }
    const status = statusIn(answer.text);
    const pauseMs = pauseOf(answer, status);
    if (pauseMs === undefined || repeats >= mostRepeats)
      throw callRefused({ what: call.what, server: wire.server }, answer.code, status);
    await wire.clock.sleep(pauseMs, call.signal);
  }
}

const traceOf = ({ server }: Wire, { method = "GET", path }: Call) =>
  ({ protocol: "kubernetes", to: server, call: `${method} ${path}` }) as const;

/** Only a 429 with a time: a 503 may have been done. A disruption budget's 429 is an answer, not a delay. */
function pauseOf({ code, headers }: Answer, status: Status | undefined): number | undefined {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  if (code !== 429 || !(seconds >= 0) || causesOf(status, "DisruptionBudget").length > 0) return undefined;
  return Math.min(seconds * 1000, longestPauseMs);
}

/** `299 - "text"`; several stand in one header, separated by commas. */
const warningsIn = (headers: http.IncomingHttpHeaders): string[] =>
  [...(headers["warning"] ?? "").matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replaceAll(/\\(.)/g, "$1"),
  );

/** Opens a stream: the time limit covers the wait for its head only. */
export function streamKube(wire: Wire, call: Call): Promise<http.IncomingMessage> {
  return guarded(wire, call, async (signal) => {
    const response = await send(wire, call, signal, call.signal);
    if (response.statusCode === 200) return response;
    const status = statusIn(await readText(response));
    throw callRefused({ what: call.what, server: wire.server }, response.statusCode ?? 0, status);
  });
}

/** Turns whatever is thrown below into one of ours; an abort by the caller stays what it is. */
async function guarded<T>(wire: Wire, call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // Many calls at once share the signal of their step; that is no leak.
  if (call.signal) setMaxListeners(0, call.signal);
  const tried = { what: call.what, server: wire.server };
  const limitMs = (call.method ?? "GET") === "GET" ? wire.timeoutMs : wire.writeTimeoutMs;
  try {
    return await limitTime(wire.clock, limitMs, `no answer to ${call.what}`, call.signal, work);
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    if (error instanceof SlipwayError) throw error;
    if (error instanceof BodyTooLargeError) throw answerTooLarge(tried, error);
    if (error instanceof TimeLimitError) throw serverSilent(tried, limitMs, error);
    if (isTrustError(error)) throw serverUntrusted(tried, error);
    throw serverUnreachable(tried, error);
  }
}

/** `life` bounds the connection when it outlives the head, as with streams. */
function send(
  wire: Wire,
  call: Call,
  signal: AbortSignal,
  life?: AbortSignal,
): Promise<http.IncomingMessage> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const isStream = life !== undefined;
  const token = wire.readToken();
  return new Promise((resolve, reject) => {
    const options: https.RequestOptions & Ending = {
      agent: wire.agent,
      method: call.method ?? "GET",
      headers: {
        accept: call.accept ?? "application/json",
        "user-agent": "slipway",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          "content-type": call.contentType ?? "application/json",
          "content-length": Buffer.byteLength(body),
        }),
      },
      ending: signal,
    };
    const request = https.request(urlOf(wire.server, call), options);
    const cut = () => request.destroy(signal.reason as Error);
    signal.addEventListener("abort", cut, { once: true });
    request.once("response", (response) => {
      if (isStream) signal.removeEventListener("abort", cut);
      const end = () => request.destroy();
      life?.addEventListener("abort", end, { once: true });
      response.once("close", () => life?.removeEventListener("abort", end));
      resolve(response);
    });
    request.on("error", (error) => {
      // An idle connection may have been closed by the server at the very moment of its reuse.
      const isStale = request.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
      if (isStale && request.method === "GET" && !signal.aborted)
        send(wire, call, signal, life).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

function urlOf(server: string, call: Call): URL {
  const url = new URL(call.path, server);
  for (const [name, value] of Object.entries(call.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** A page of five hundred large objects has a tenth of it. */
const mostBytes = 64 * 1024 ** 2;

const readText = async (response: http.IncomingMessage): Promise<string> =>
  (await readBody(response, mostBytes)).toString("utf8");

function statusIn(text: string): Status | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isStatus(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
