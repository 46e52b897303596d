import http from "node:http";
import { readBody } from "../../../lib/index.ts";
import type { Connections, Ending } from "./connection.ts";

export interface Outgoing {
  method: string;
  /** Path and query. */
  target: string;
  host: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Answer {
  status: number;
  /** For a 401 or a 595 the reason phrase is all there is. */
  reason: string;
  isJson: boolean;
  body: string;
}

/** The largest answers, task logs and lists of a whole datacenter, have a few of them. */
export const mostAnswerBytes = 32 * 1024 ** 2;

/** One request and its whole answer. */
export function exchange(connections: Connections, out: Outgoing, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options: http.RequestOptions & Ending = {
      agent: connections,
      host: out.host,
      method: out.method,
      path: out.target,
      setHost: false,
      headers: {
        host: out.host,
        accept: "application/json",
        ...out.headers,
        // Chunked bodies are answered with 501, and so is any body of a GET or DELETE.
        ...(out.body !== undefined && { "content-length": String(Buffer.byteLength(out.body)) }),
      },
      ending: signal,
    };
    const request = http.request(options);
    const { end, finish } = endWith(request, signal, reject);
    request.once("response", (response) => {
      readAnswer(response).then((answer) => finish(() => resolve(answer)), end);
    });
    request.end(out.body);
  });
}

/** Ends a request with its signal: one that has no socket yet tells nobody that it was destroyed. */
export function endWith(
  request: http.ClientRequest,
  signal: AbortSignal,
  reject: (reason: Error) => void,
): { end(error: Error): void; finish(settle: () => void): void } {
  const finish = (settle: () => void) => {
    signal.removeEventListener("abort", abort);
    settle();
  };
  const end = (error: Error) => {
    request.destroy();
    finish(() => reject(error));
  };
  const abort = () => end(signal.reason as Error);
  request.on("error", end);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return { end, finish };
}

/** What the server says once a request has reached it. */
export async function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  const body = await readBody(response, mostAnswerBytes);
  return {
    status: response.statusCode ?? 0,
    reason: response.statusMessage ?? "",
    isJson: (response.headers["content-type"] ?? "").startsWith("application/json"),
    body: body.toString("utf8"),
  };
}
