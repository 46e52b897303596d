import http2 from "node:http2";
import { destroyLater, limitTime } from "../../lib/index.ts";
import { connectTls, type TlsTarget } from "./connect-tls.ts";

const windowBytes = 4 * 1024 * 1024;
const pingEveryMs = 10_000;
const pingTimeoutMs = 5_000;

/**
 * One HTTP/2 connection to a node, opened when needed and opened again after the node cut it.
 * Has the shape of connect-node's session manager.
 */
export class TalosSession {
  readonly authority: string;
  readonly #target: TlsTarget;
  readonly #connectTimeoutMs: number;
  #current: Promise<http2.ClientHttp2Session> | undefined;
  #isClosed = false;

  constructor(target: TlsTarget, connectTimeoutMs: number) {
    this.#target = target;
    this.#connectTimeoutMs = connectTimeoutMs;
    const host = target.address.includes(":") ? `[${target.address}]` : target.address;
    // As requests will name it: in lower case, and IPv6 in its short form.
    this.authority = new URL(`https://${host}:${target.port}`).origin;
  }

  async request(
    method: string,
    path: string,
    headers: http2.OutgoingHttpHeaders,
    options: Omit<http2.ClientSessionRequestOptions, "signal">,
  ): Promise<http2.ClientHttp2Stream> {
    const session = await this.#ready();
    return session.request({ ...headers, ":method": method, ":path": path }, options);
  }

  notifyResponseByteRead(): void {}

  close(): void {
    this.#isClosed = true;
    this.#current?.then((session) => destroyLater(session)).catch(() => undefined);
    this.#current = undefined;
  }

  async #ready(): Promise<http2.ClientHttp2Session> {
    if (this.#isClosed) throw new Error("this connection was closed by its user");
    this.#current ??= this.#open().catch((error: unknown) => {
      this.#current = undefined;
      throw error;
    });
    const session = await this.#current;
    if (!session.closed && !session.destroyed) return session;
    this.#current = undefined;
    return this.#ready();
  }

  async #open(): Promise<http2.ClientHttp2Session> {
    const { address } = this.#target;
    const message = `no connection to ${address} within ${this.#connectTimeoutMs} ms`;
    const socket = await limitTime(this.#connectTimeoutMs, message, undefined, (signal) =>
      connectTls(this.#target, signal),
    );
    if (this.#isClosed) {
      socket.destroy();
      throw new Error("this connection was closed by its user");
    }
    socket.setNoDelay(true);
    const session = http2.connect(this.authority, {
      createConnection: () => socket,
      // The default windows of 64 KiB make every tunnel with a round-trip time slow.
      settings: { initialWindowSize: windowBytes },
    });
    session.once("connect", () => session.setLocalWindowSize(windowBytes));
    const forget = () => {
      this.#current = undefined;
    };
    session.once("goaway", forget);
    session.once("close", forget);
    // Every open stream gets the same error and tells it to its caller.
    session.on("error", () => undefined);
    keepAlive(session);
    return session;
  }
}

/** A node that lost its power sends nothing; without pings an open stream would wait for ever. */
function keepAlive(session: http2.ClientHttp2Session): void {
  const timer = setInterval(() => {
    if (session.destroyed) return;
    const lost = setTimeout(() => {
      destroyLater(session, Object.assign(new Error("no answer to a ping"), { code: "ECONNRESET" }));
    }, pingTimeoutMs);
    lost.unref();
    session.ping(() => clearTimeout(lost));
  }, pingEveryMs);
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
