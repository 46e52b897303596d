import http from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import type { SlipwayError } from "../../../errors/index.ts";
import { connectionText, handshake, limitTime, type Clock, type Dial } from "../../../lib/index.ts";
import { imageNotFetched } from "../errors.ts";

export interface Fetched {
  totalBytes?: number | undefined;
  /** Ends with an error when the server stops before the end. */
  body: AsyncIterable<Buffer>;
}

const mostRedirects = 5;
const connectMs = 30_000;
/** Longer than this without a single byte, once it has begun, means that none will come. */
const silenceMs = 60_000;

/** The way to a server that has images. */
export interface FetchWay {
  dial: Dial;
  clock: Clock;
  /** Who may vouch for it, PEM. Absent: those that this computer trusts. */
  authorities?: string[] | undefined;
}

/** Asks for an image. Building one that was never asked for takes the factory minutes, so nothing ends that wait but the signal. */
export async function fetchImage(
  want: { file: string; url: string },
  way: FetchWay,
  signal: AbortSignal,
): Promise<Fetched> {
  let url = new URL(want.url);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await ask(url, way, signal).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw notFetched(want, url, connectionText(cause), cause);
    });
    const status = answer.statusCode ?? 0;
    const { location } = answer.headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      answer.destroy();
      url = new URL(location, url);
      continue;
    }
    if (status !== 200) {
      answer.destroy();
      throw notFetched(want, url, `the server answers ${status} ${answer.statusMessage ?? ""}`.trim());
    }
    const length = answer.headers["content-length"];
    const totalBytes = length === undefined ? undefined : Number(length);
    return {
      totalBytes,
      body: whole(answer, totalBytes, way.clock, (reason, cause) => notFetched(want, url, reason, cause)),
    };
  }
  throw notFetched(want, url, "the servers send from one to the other without end");
}

async function* whole(
  answer: http.IncomingMessage,
  totalBytes: number | undefined,
  clock: Clock,
  failed: (reason: string, cause?: unknown) => SlipwayError,
): AsyncGenerator<Buffer> {
  let done = 0;
  const chunks = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const next = (): Promise<IteratorResult<Buffer>> =>
    limitTime(clock, silenceMs, `nothing came for ${silenceMs / 1000} s`, undefined, () => chunks.next());
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) {
      done += chunk.value.length;
      yield chunk.value;
    }
  } catch (cause) {
    throw failed(`the connection broke after ${done} bytes`, cause);
  } finally {
    answer.destroy();
  }
  if (totalBytes !== undefined && done !== totalBytes)
    throw failed(`only ${done} of ${totalBytes} bytes came`);
}

/** A user's own URL may carry a password or a signed query. */
const notFetched = ({ file }: { file: string }, url: URL, reason: string, cause?: unknown): SlipwayError =>
  imageNotFetched({
    file,
    url: `${url.origin}${url.pathname}`,
    reason,
    cause,
  });

async function ask(url: URL, way: FetchWay, signal: AbortSignal): Promise<http.IncomingMessage> {
  const connection = await limitTime(
    way.clock,
    connectMs,
    `no connection within ${connectMs / 1000} s`,
    signal,
    (limit) => open(url, way, limit),
  );
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => connection,
      host: url.host,
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: { host: url.host, connection: "close", ...credentials(url) },
      signal,
    });
    request.on("error", reject);
    request.once("response", resolve);
    request.end();
  });
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

async function open(url: URL, { dial, authorities }: FetchWay, signal: AbortSignal): Promise<Duplex> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isPlain = url.protocol === "http:";
  const socket = await dial({ host, port: Number(url.port || (isPlain ? 80 : 443)) }, signal);
  if (isPlain) return socket;
  // An address is no name: RFC 6066 forbids it as SNI.
  const servername = isIP(host) === 0 ? host : "";
  return handshake(
    tls.connect({ socket, host, servername, ...(authorities && { ca: authorities }) }),
    signal,
  );
}
