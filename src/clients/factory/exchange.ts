import http from "node:http";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { handshake, readBody, serverName, type Dial } from "../../lib/index.ts";

/** How the factory's certificate is judged: by the system's authorities, or by one of its own. */
export type FactoryTrust = { system: true } | { ca: string };

export interface Outgoing {
  method: "GET" | "HEAD" | "POST";
  url: URL;
  body?: string | undefined;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

// Lists and schematics are small; whatever sends more is no factory.
const mostBytes = 8 * 2 ** 20;

/** One request on a connection of its own, and its whole answer. */
export async function exchange(
  out: Outgoing,
  dial: Dial,
  trust: FactoryTrust,
  signal: AbortSignal,
): Promise<Answer> {
  const connection = await open(out.url, dial, trust, signal);
  try {
    return await ask(out, connection, signal);
  } finally {
    connection.destroy();
  }
}

async function open(url: URL, dial: Dial, trust: FactoryTrust, signal: AbortSignal): Promise<Duplex> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isPlain = url.protocol === "http:";
  const port = Number(url.port === "" ? (isPlain ? 80 : 443) : url.port);
  const socket = await dial({ host, port }, signal);
  if (isPlain) return socket;
  const secured = tls.connect({
    socket,
    host,
    servername: serverName(host),
    ca: "ca" in trust ? trust.ca : undefined,
  });
  return handshake(secured, signal);
}

function ask(out: Outgoing, connection: Duplex, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => connection,
      method: out.method,
      host: out.url.host,
      path: `${out.url.pathname}${out.url.search}`,
      setHost: false,
      headers: {
        host: out.url.host,
        connection: "close",
        accept: "application/json, application/yaml",
        ...(out.body !== undefined && {
          "content-type": "application/yaml",
          "content-length": Buffer.byteLength(out.body),
        }),
      },
      signal,
    });
    request.on("error", reject);
    request.once("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      readBody(response, mostBytes).then(
        (body) => resolve({ status, headers, body: body.toString("utf8") }),
        reject,
      );
    });
    request.end(out.body);
  });
}
