import http from "node:http";
import tls from "node:tls";
import type { HostView } from "../../linux/index.ts";
import type { Life } from "../life.ts";
import { hashOfCa, parseToken } from "./token.ts";

/** A supervisor that was found, its authority fetched and compared with what the token pins. */
export interface Access {
  url: URL;
  ca: string;
  user: string;
  password: string;
}

/** Fetches the authority from a supervisor and holds it against the token. Throws in the words of the real program. */
export async function openAccess(
  { host, journal, signal }: Pick<Life, "host" | "journal" | "signal">,
  server: string,
  token: string,
  user: "server" | "node",
): Promise<Access> {
  const parsed = parseToken(token);
  const url = supervisorUrl(server);
  const ca = await fetchAuthority(host, url, signal);
  if (parsed.caHash === undefined) journal.warn(notPinned);
  else checkHash(parsed.caHash, ca);
  return { url, ca, user: parsed.isBootstrap ? "" : user, password: parsed.password };
}

function supervisorUrl(server: string): URL {
  if (!URL.canParse(server)) throw new Error(`Invalid server url, failed to parse: ${server}`);
  const url = new URL(server);
  if (url.protocol !== "https:")
    throw new Error(`only https:// URLs are supported, invalid scheme: ${server}`);
  return url;
}

const notPinned =
  "Cluster CA certificate is not trusted by the host CA bundle, but the token does not include a CA hash. Use the full token from the server's node-token file to enable Cluster CA validation.";

function checkHash(pinned: string, ca: string): void {
  const found = hashOfCa(ca);
  if (found !== pinned)
    throw new Error(`token CA hash does not match the Cluster CA certificate hash: ${pinned} != ${found}`);
}

/** First without a check, then once more with what was got: it must have signed the certificate that was shown. */
async function fetchAuthority(host: HostView, url: URL, signal: AbortSignal): Promise<string> {
  const at = new URL("/cacerts", url);
  const first = await call(host, at, {}, signal).catch(wrapped("failed to get CA certs"));
  if (first.code !== 200) throw new Error(`failed to get CA certs: ${refusal(at, first)}`);
  const lag = host.faults.hosts.find("clock-skew", { host: host.machine })?.skewMs ?? 0;
  if (lag < 0)
    throw new Error(
      `CA cert validation failed: Get "${at.href}": tls: failed to verify certificate: ${tooEarly(host, lag)}`,
    );
  await call(host, at, { ca: first.body }, signal).catch(wrapped("CA cert validation failed"));
  return first.body;
}

const tooEarly = ({ clock }: HostView, lagMs: number): string =>
  `x509: certificate has expired or is not yet valid: current time ${stamp(clock.now())} is before ${stamp(clock.now() - lagMs)}`;

const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const wrapped = (what: string) => (error: unknown) => {
  throw new Error(`${what}: ${(error as Error).message}`);
};

/** What a path of the supervisor gives to whoever has the password. */
export async function ask(
  host: HostView,
  access: Access,
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<string> {
  const url = new URL(path, access.url);
  const secret = `${access.user}:${access.password}`;
  const authorization =
    access.user === "" ? `Bearer ${access.password}` : `Basic ${Buffer.from(secret).toString("base64")}`;
  const answer = await call(host, url, { ca: access.ca, headers: { authorization, ...headers } }, signal);
  if (answer.code >= 200 && answer.code < 300) return answer.body;
  throw new RefusedError(answer.code, refusal(url, answer));
}

/** A supervisor said no. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Answer {
  code: number;
  reason: string;
  body: string;
}

/** The message of the status it sent, or the bare status line. */
function refusal(url: URL, { code, reason, body }: Answer): string {
  try {
    const status = JSON.parse(body) as { kind?: string; message?: string };
    if (status.kind === "Status" && status.message !== undefined) return status.message;
  } catch {
    // Not every answer is a status.
  }
  return `${url.href}: ${code} ${reason}`;
}

const limitMs = 10_000;

async function call(
  host: HostView,
  url: URL,
  options: { ca?: string; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const socket = await secure(host, url, options.ca, signal);
    return await request(socket, url, options.headers ?? {}, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`Get "${url.href}": ${inGo(error, url)}`, { cause: error });
  }
}

async function secure(
  { clock, network }: HostView,
  url: URL,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<tls.TLSSocket> {
  const raw = await network.dial({ host: url.hostname, port: Number(url.port || 443) }, signal);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      socket: raw,
      ca,
      rejectUnauthorized: ca !== undefined,
      host: url.hostname,
    });
    const late = clock.after(limitMs, () => socket.destroy(new Error("context deadline exceeded")));
    socket.once("close", late);
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", (error) => {
      raw.destroy();
      reject(error);
    });
    // Whoever shuts the door during the handshake raises no error.
    socket.once("close", () => reject(new Error("EOF")));
  });
}

function request(
  socket: tls.TLSSocket,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      {
        createConnection: () => socket,
        path: url.pathname,
        headers: { host: url.host, connection: "close", ...headers },
        signal,
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          socket.destroy();
          resolve({
            code: response.statusCode ?? 0,
            reason: response.statusMessage ?? "",
            body: Buffer.concat(parts).toString("utf8"),
          });
        });
      },
    );
    sent.once("error", reject);
    sent.end();
  });
}

const asText: Record<string, string> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ETIMEDOUT: "i/o timeout",
};

/** The real program is written in Go, and says things its way. */
function inGo(error: unknown, url: URL): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const at = `${url.hostname}:${url.port || "443"}`;
  if (asText[code] !== undefined) return `dial tcp ${at}: ${asText[code]}`;
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
    return `tls: failed to verify certificate: x509: ${
      code === "ERR_TLS_CERT_ALTNAME_INVALID"
        ? `certificate is valid for other names, not ${url.hostname}`
        : "certificate signed by unknown authority"
    }`;
  return code === "ECONNRESET" || message === "socket hang up" ? "EOF" : message;
}
