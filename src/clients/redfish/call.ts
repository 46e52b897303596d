import http from "node:http";
import { SlipwayError } from "../../errors/index.ts";
import {
  bareHost,
  CallTrace,
  limitTime,
  readBody,
  secureSocket,
  TimeLimitError,
  UntrustedError,
  type Clock,
  type Dial,
  type Trust,
} from "../../lib/index.ts";
import {
  redfishLoginRefused,
  redfishRefused,
  redfishTimedOut,
  redfishUnreachable,
  redfishUntrusted,
} from "./errors.ts";

export interface RedfishOptions {
  /** `https://192.168.9.31`. */
  url: string;
  user: string;
  password: string;
  trust: Trust;
  dial: Dial;
  clock: Clock;
  /** Where calls are timed. Left out: nowhere. */
  calls?: CallTrace | undefined;
  timeoutMs?: number;
}

interface Request {
  path: string;
  /** Completes "Cannot …" in an error. */
  doing: string;
  /** Posted; absent: it is read. */
  body?: unknown;
}

/** Gives the answer as data. */
type Call = (request: Request, signal?: AbortSignal) => Promise<unknown>;

/** Controllers are slow: some think for ten seconds about their own name. */
const defaultTimeoutMs = 30_000;
const mostBytes = 2 ** 20;

/** The one way to the controller: it owns authentication, time limits and errors. */
export function makeCall(options: RedfishOptions): Call {
  const { clock, user, timeoutMs = defaultTimeoutMs, calls = new CallTrace() } = options;
  const url = options.url.replace(/\/+$/, "");
  return async (request, outer) => {
    const { doing } = request;
    try {
      const { status, text } = await calls.remotely(() =>
        limitTime(clock, timeoutMs, "no answer in time", outer, (signal) =>
          exchange(options, url, request, signal),
        ),
      );
      if (status === 401 || status === 403) throw redfishLoginRefused({ doing, url, user, status });
      if (status >= 300) throw redfishRefused({ doing, url, status, words: wordsOf(text) });
      return dataOf(text);
    } catch (thrown) {
      outer?.throwIfAborted();
      if (thrown instanceof SlipwayError) throw thrown;
      if (thrown instanceof TimeLimitError)
        throw redfishTimedOut({ doing, url, seconds: Math.round(timeoutMs / 1000) });
      if (thrown instanceof UntrustedError)
        throw redfishUntrusted({ doing, url, found: thrown.found, problem: thrown.problem });
      throw redfishUnreachable({ doing, url, cause: thrown });
    }
  };
}

/** On a connection of its own: controllers keep few, and are asked seldom. */
async function exchange(
  { dial, trust, user, password }: RedfishOptions,
  base: string,
  { path, body }: Request,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const url = new URL(path, base);
  const socket = await dial({ host: bareHost(url), port: Number(url.port || 443) }, signal);
  const secured = await secureSocket(socket, url, trust, signal);
  const text = body === undefined ? undefined : JSON.stringify(body);
  try {
    return await new Promise((resolve, reject) => {
      const request = http.request({
        createConnection: () => secured,
        method: text === undefined ? "GET" : "POST",
        path: `${url.pathname}${url.search}`,
        setHost: false,
        headers: {
          host: url.host,
          connection: "close",
          accept: "application/json",
          "odata-version": "4.0",
          authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
          ...(text !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(text),
          }),
        },
        signal,
      });
      request.on("error", reject);
      request.once("response", (response) => {
        readBody(response, mostBytes).then(
          (bytes) => resolve({ status: response.statusCode ?? 0, text: bytes.toString("utf8") }),
          reject,
        );
      });
      request.end(text);
    });
  } finally {
    secured.destroy();
  }
}

function dataOf(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

/** What it says of its refusal, in one line. */
function wordsOf(text: string): string {
  const { error } = dataOf(text) as {
    error?: { message?: string; "@Message.ExtendedInfo"?: { Message?: string }[] };
  };
  return (error?.["@Message.ExtendedInfo"]?.[0]?.Message ?? error?.message ?? "").split("\n")[0] ?? "";
}
