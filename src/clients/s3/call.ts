import http, { type IncomingMessage } from "node:http";
import { SlipwayError } from "../../errors/index.ts";
import {
  backoffMs,
  bareHost,
  CallTrace,
  firstAt,
  limitTime,
  readBody,
  readXml,
  secureSocket,
  textAt,
  TimeLimitError,
  UntrustedError,
  type Clock,
  type Dial,
  type Trust,
  type XmlElement,
} from "../../lib/index.ts";
import {
  s3Denied,
  s3NoBucket,
  s3NotFound,
  s3Refused,
  s3TimedOut,
  s3Unreachable,
  s3Untrusted,
} from "./errors.ts";
import { encodeStrictly, sha256Hex, signRequest, type Credentials } from "./sign.ts";

export interface S3Options extends Credentials {
  bucket: string;
  /** Absent: Amazon's, in the region. */
  endpoint?: string | undefined;
  trust: Trust;
  dial: Dial;
  clock: Clock;
  /** The time others agree on: requests are dated by it. */
  wall: Pick<Clock, "now">;
  calls?: CallTrace | undefined;
}

export interface S3Request {
  method: "GET" | "PUT" | "POST" | "DELETE";
  /** Absent: the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  body?: Uint8Array;
  /** Completes "Cannot …" in an error. */
  doing: string;
}

const timeoutMs = 60_000;
/** A part may take this long on a slow line, besides. */
const slowestBytesPerSecond = 100_000;
const attempts = 4;
const mostAnswerBytes = 16 * 1024 ** 2;

export type S3Call = ReturnType<typeof makeCall>;

/** The one way to the server: it owns signatures, time limits, repetition and errors. */
export function makeCall(options: S3Options) {
  const { clock, calls = new CallTrace() } = options;
  const base = baseOf(options);

  async function once<T>(
    request: S3Request,
    outer: AbortSignal | undefined,
    read: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    const limitMs = timeoutMs + ((request.body?.length ?? 0) / slowestBytesPerSecond) * 1000;
    try {
      return await calls.remotely(() =>
        limitTime(clock, limitMs, "no answer in time", outer, async (signal) => {
          const answer = await exchange(options, base, request, signal);
          if ((answer.statusCode ?? 0) >= 300) throw await refusal(options, base, request, answer);
          return read(answer);
        }),
      );
    } catch (thrown) {
      outer?.throwIfAborted();
      throw explained(thrown, request, base, limitMs);
    }
  }

  /** Each of our requests may be sent twice: the same part, the same name, the same end. */
  async function repeated<T>(
    request: S3Request,
    outer: AbortSignal | undefined,
    read: (answer: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(request, outer, read);
      } catch (thrown) {
        if (attempt === attempts || !(thrown instanceof SlipwayError && thrown.transient)) throw thrown;
        await clock.sleep(backoffMs(attempt), outer);
      }
    }
  }

  return {
    /** The answer as XML where there is any, and its headers. */
    ask: (request: S3Request, signal?: AbortSignal): Promise<{ xml: XmlElement | undefined; etag: string }> =>
      repeated(request, signal, async (answer) => {
        const text = (await readBody(answer, mostAnswerBytes)).toString("utf8").trim();
        const xml = text.startsWith("<") ? readXml(text) : undefined;
        // To complete an upload takes a while, so servers begin their answer before they know how it ends.
        if (xml?.name === "Error") throw refusalIn(xml, request, base, 500);
        return { xml, etag: answer.headers.etag ?? "" };
      }),
    /** The answer as it comes. What is not read is not sent for long. */
    open: (request: S3Request, signal?: AbortSignal): Promise<IncomingMessage> =>
      repeated(request, signal, async (answer) => answer),
    base,
  };
}

/** Amazon has a name for each bucket, with a certificate that fits unless there are dots in it; others have a path. */
function baseOf({ bucket, endpoint, region }: S3Options): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes(".") ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

async function exchange(
  options: S3Options,
  base: string,
  { method, key, query = {}, body }: S3Request,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(key === undefined ? base : `${base}/${key.split("/").map(encodeStrictly).join("/")}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = signRequest(
    { method, url, headers: {}, payloadHash: sha256Hex(body ?? "") },
    options,
    options.wall.now(),
  );
  const socket = await options.dial({ host: bareHost(url), port: Number(url.port || 443) }, signal);
  const secured = await secureSocket(socket, url, options.trust, signal);
  // Of a large answer more may come long after its beginning, but not never.
  secured.setTimeout(timeoutMs, () => secured.destroy(new Error("nothing more came")));
  const search = Object.keys(query).length === 0 ? "" : `?${strictQuery(query)}`;
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => secured,
      method,
      path: `${url.pathname}${search}`,
      setHost: false,
      headers: { ...headers, connection: "close", ...(body && { "content-length": body.length }) },
      signal,
    });
    const fail = (error: Error): void => {
      secured.destroy();
      reject(error);
    };
    request.on("error", fail);
    request.once("response", (answer) => {
      answer.once("close", () => secured.destroy());
      resolve(answer);
    });
    request.end(body);
  });
}

/** A space is `%20` in what is signed, so it has to be that in what is sent. */
const strictQuery = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .join("&");

async function refusal(
  { bucket }: S3Options,
  base: string,
  request: S3Request,
  answer: IncomingMessage,
): Promise<SlipwayError> {
  const status = answer.statusCode ?? 0;
  const text = (await readBody(answer, mostAnswerBytes)).toString("utf8").trim();
  const xml = text.startsWith("<") ? readSafely(text) : undefined;
  if (xml && textAt(xml, "Code") === "NoSuchBucket")
    return s3NoBucket({ doing: request.doing, base, bucket });
  if (!xml) return refusalAs({ code: "", words: "", status }, request, base);
  return refusalIn(xml, request, base, status);
}

const refusalIn = (xml: XmlElement, request: S3Request, base: string, status: number): SlipwayError =>
  refusalAs({ code: textAt(xml, "Code") ?? "", words: textAt(xml, "Message") ?? "", status }, request, base);

function refusalAs(
  { code, words, status }: { code: string; words: string; status: number },
  { doing }: S3Request,
  base: string,
): SlipwayError {
  if (status === 403) return s3Denied({ doing, base, code });
  if (status === 404) return s3NotFound({ doing, base });
  return s3Refused({ doing, base, status, words: [code, words].filter((each) => each !== "").join(": ") });
}

function readSafely(text: string): XmlElement | undefined {
  try {
    const xml = readXml(text);
    return xml.name === "Error" ? xml : firstAt(xml, "Error");
  } catch {
    return undefined;
  }
}

function explained(thrown: unknown, { doing }: S3Request, base: string, limitMs: number): SlipwayError {
  if (thrown instanceof SlipwayError) return thrown;
  if (thrown instanceof TimeLimitError)
    return s3TimedOut({ doing, base, seconds: Math.round(limitMs / 1000) });
  if (thrown instanceof UntrustedError)
    return s3Untrusted({ base, found: thrown.found, problem: thrown.problem });
  return s3Unreachable({ doing, base, cause: thrown });
}
