import https from "node:https";
import tls from "node:tls";
import {
  handshake,
  limitTime,
  readBody,
  TimeLimitError,
  type CallTrace,
  type Clock,
  type Dial,
} from "../../lib/index.ts";
import { serverSilent, serverUnreachable, serverUntrusted } from "./errors.ts";

export interface SupervisorWire {
  host: string;
  port: number;
  url: string;
  dial: Dial;
  clock: Clock;
  calls: CallTrace;
  timeoutMs: number;
  /** Absent: whoever answers is heard, and nothing is told to them. */
  ca?: string;
  /** Who it is counts, not where. */
  isNameFree?: true;
  credentials?: { user: string; password: string } | undefined;
}

export interface Call {
  /** `list the members of etcd`: completes "Cannot … at https://…". */
  what: string;
  path: string;
  /** What is put there; absent: it is read. It may hold secrets and is not traced. */
  body?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  code: number;
  text: string;
  /** What the server says in words, out of its status object where there is one. */
  message: string;
}

/** The way of every call: time limit, one connection, every failure told once in our words. */
export async function callSupervisor(wire: SupervisorWire, call: Call): Promise<Answer> {
  const tried = { what: call.what, server: wire.url };
  const trace = { protocol: "k3s", to: wire.url, call: `${methodOf(call)} ${call.path}` } as const;
  try {
    return await wire.calls.run(
      trace,
      () =>
        limitTime(wire.clock, wire.timeoutMs, `no answer to ${call.what}`, call.signal, (signal) =>
          send(wire, call, signal),
        ),
      ({ code }) => String(code),
    );
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason;
    if (error instanceof TimeLimitError) throw serverSilent(tried, wire.timeoutMs, error);
    if (isTrustError(error)) throw serverUntrusted(tried, error);
    throw serverUnreachable(tried, error);
  }
}

const methodOf = ({ body }: Call): "PUT" | "GET" => (body === undefined ? "GET" : "PUT");

async function send(wire: SupervisorWire, call: Call, signal: AbortSignal): Promise<Answer> {
  const socket = await wire.dial({ host: wire.host, port: wire.port }, signal);
  const secured = tls.connect({
    socket,
    host: wire.host,
    ...(wire.ca === undefined ? { rejectUnauthorized: false } : { ca: wire.ca }),
    ...(wire.isNameFree && { checkServerIdentity: () => undefined }),
    ALPNProtocols: ["http/1.1"],
  });
  const cut = () => secured.destroy(signal.reason as Error);
  signal.addEventListener("abort", cut, { once: true });
  try {
    await handshake(secured, signal);
    return await exchange(secured, wire, call);
  } finally {
    signal.removeEventListener("abort", cut);
    secured.destroy();
  }
}

/** Certificates and lists of members. */
const mostBytes = 8 * 1024 ** 2;

function exchange(
  socket: tls.TLSSocket,
  { host, port, credentials }: SupervisorWire,
  call: Call,
): Promise<Answer> {
  const body = call.body && JSON.stringify(call.body);
  return new Promise((resolve, reject) => {
    const request = https.request({
      host,
      port,
      path: call.path,
      method: methodOf(call),
      createConnection: () => socket,
      headers: {
        accept: "application/json, text/plain",
        connection: "close",
        "user-agent": "slipway",
        ...(credentials && { authorization: basic(credentials) }),
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        }),
      },
    });
    request.on("error", reject);
    request.once("response", (response) => {
      readBody(response, mostBytes).then((answered) => {
        const text = answered.toString("utf8");
        resolve({ code: response.statusCode ?? 0, text, message: messageIn(text) });
      }, reject);
    });
    request.end(body);
  });
}

const basic = ({ user, password }: { user: string; password: string }): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text.trim().slice(0, 200);
  }
}

/** Node's names for "this is not the certificate I was told to expect". */
const isTrustError = (error: unknown): boolean => {
  const code = (error as { code?: string } | undefined)?.code ?? "";
  return /^(ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY)|INVALID_CA|INVALID_PURPOSE)/.test(
    code,
  );
};
