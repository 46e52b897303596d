import http from "node:http";
import type { Connections } from "./connection.ts";

export interface Outgoing {
  method: string;
  /** Path and query. */
  target: string;
  host: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  /** For a 401 or a 595 the reason phrase is all there is. */
  reason: string;
  isJson: boolean;
  body: string;
}

/** One request and its whole answer. */
export function exchange(connections: Connections, out: Outgoing, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({
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
      signal,
    });
    request.once("error", reject);
    request.once("response", (response) => void readAnswer(response).then(resolve, reject));
    request.end(out.body);
  });
}

/** What the server says once a request has reached it. */
export function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.once("error", reject);
    response.once("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        reason: response.statusMessage ?? "",
        isJson: (response.headers["content-type"] ?? "").startsWith("application/json"),
        body: Buffer.concat(chunks).toString("utf8"),
      }),
    );
  });
}
