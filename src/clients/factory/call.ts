import type { SlipwayError } from "../../errors/index.ts";
import {
  backoffMs,
  BodyTooLargeError,
  limitTime,
  TimeLimitError,
  type CallTrace,
  type Clock,
  type Dial,
} from "../../lib/index.ts";
import {
  factoryAnswerTooLarge,
  factoryFailed,
  factoryForbidden,
  factoryOddAnswer,
  factoryRefused,
  factoryTimedOut,
  factoryUnreachable,
  factoryUntrusted,
} from "./errors.ts";
import { exchange, type Answer, type FactoryTrust, type Outgoing } from "./exchange.ts";

export interface CallOptions {
  url: string;
  dial: Dial;
  trust: FactoryTrust;
  clock: Clock;
  calls: CallTrace;
  timeoutMs: number;
}

export interface Request {
  method: Outgoing["method"];
  /** Below the factory's address. */
  path: string;
  body?: string;
  /** Completes "Cannot …" in an error. */
  doing: string;
}

/** Sends one request. `undefined` when there is no such thing at the factory. */
export type Call = (request: Request, signal?: AbortSignal) => Promise<Answer | undefined>;

const attempts = 3;
const mostRedirects = 5;

/** The one way to the factory: it owns time limits, repeats, redirects and errors. Every call may be repeated. */
export function makeCall(options: CallOptions): Call {
  const { url } = options;
  return async (request, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const sent = await options.calls.run(
        { protocol: "factory", to: url, call: `${request.method} ${request.path}` },
        () => options.calls.remotely(() => send(request, options, signal)),
        (ended) => ("answer" in ended ? String(ended.answer.status) : ended.error.code),
      );
      if ("answer" in sent && sent.answer.status < 300) return sent.answer;
      if ("answer" in sent && sent.answer.status === 404) return undefined;
      const error = "answer" in sent ? refusal(sent.answer, request.doing, url) : sent.error;
      const isFleeting = "answer" in sent ? fleetingStatus.has(sent.answer.status) : sent.isFleeting;
      if (attempt >= attempts || !isFleeting) throw error;
      await options.clock.sleep(backoffMs(attempt), signal);
    }
  };
}

// Not 500: that is how the public factory answers for a version it does not have.
const fleetingStatus = new Set([429, 502, 503, 504]);
const accountStatus = new Set([401, 402, 403]);
const fleetingCodes = new Set(["ECONNRESET", "EPIPE"]);

type Sent = { answer: Answer } | { error: SlipwayError; isFleeting: boolean };

async function send(request: Request, options: CallOptions, outer?: AbortSignal): Promise<Sent> {
  const { url, timeoutMs, clock } = options;
  const { doing } = request;
  try {
    const answer = await limitTime(clock, timeoutMs, "no answer in time", outer, (signal) =>
      follow(request, options, signal),
    );
    return { answer };
  } catch (thrown) {
    outer?.throwIfAborted();
    if (thrown instanceof TimeLimitError) {
      return { error: factoryTimedOut({ doing, url, limitMs: timeoutMs, cause: thrown }), isFleeting: false };
    }
    if (thrown instanceof BodyTooLargeError) {
      return { error: factoryAnswerTooLarge({ doing, url, cause: thrown }), isFleeting: false };
    }
    const code = codeOf(thrown);
    if (certificateCodes.test(code)) {
      return { error: factoryUntrusted({ doing, url, reason: code, cause: thrown }), isFleeting: false };
    }
    return {
      error: factoryUnreachable({ doing, url, cause: thrown }),
      isFleeting: fleetingCodes.has(code),
    };
  }
}

const certificateCodes = /CERT|SIGNATURE|SELF_SIGNED|ISSUER|ALTNAME/;

const codeOf = (thrown: unknown): string => {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : "";
};

/** Images may lie in an object storage elsewhere; the authority given for the factory does not speak for that. */
async function follow(request: Request, options: CallOptions, signal: AbortSignal): Promise<Answer> {
  const { dial, trust } = options;
  const { method, body } = request;
  const first = new URL(`${options.url}${request.path}`);
  let url = first;
  for (let hop = 0; ; hop += 1) {
    const judge: FactoryTrust = url.host === first.host ? trust : { system: true };
    const out = { method, url, body };
    const answer = await exchange(out, dial, judge, signal);
    const { location } = answer.headers;
    const isMoved = answer.status >= 301 && answer.status <= 308 && location !== undefined;
    if (!isMoved || method === "POST" || hop >= mostRedirects) return answer;
    url = new URL(location, url);
  }
}

function refusal(answer: Answer, doing: string, url: string): SlipwayError {
  const { status } = answer;
  const words = answer.body.trim().split("\n")[0]?.slice(0, 200) ?? "";
  if (status >= 500 || status === 429) return factoryFailed({ doing, url, status, words });
  if (accountStatus.has(status)) return factoryForbidden({ doing, url, status, words });
  return status >= 400
    ? factoryRefused({ doing, url, status, words })
    : factoryOddAnswer({ doing, url, found: `status ${status}` });
}
