import http2 from "node:http2";
import { destroyLater, limitTime, type Clock } from "../../../lib/index.ts";
import { connectTls, type TlsTarget } from "./connect-tls.ts";

export interface Pings {
  everyMs: number;
  timeoutMs: number;
}

const windowBytes = 4 * 1024 * 1024;
/**
 * A Go server counts pings: a third one within five minutes that no answer of its own came between, or one without an
 * open stream, and it ends the connection with ENHANCE_YOUR_CALM.
 */
const defaultPings: Pings = { everyMs: 5.5 * 60_000, timeoutMs: 20_000 };
/** The kernel's own probes: a node without power is noticed in less than a minute where no jump host is in between. */
const probeAfterMs = 30_000;

/**
 * One HTTP/2 connection to a node, opened when needed and opened again after the node cut it.
 * Has the shape of connect-node's session manager.
 */
export class TalosSession {
  readonly authority: string;
  readonly #target: TlsTarget;
  readonly #clock: Clock;
  readonly #connectTimeoutMs: number;
  readonly #pings: Pings;
  #current: Promise<http2.ClientHttp2Session> | undefined;
  /** That and those before it which still have calls to end. */
  readonly #sessions = new Set<http2.ClientHttp2Session>();
  #isClosed = false;
  readonly #streams = new Set<http2.ClientHttp2Stream>();

  constructor(target: TlsTarget, clock: Clock, connectTimeoutMs: number, pings = defaultPings) {
    this.#pings = pings;
    this.#target = target;
    this.#clock = clock;
    this.#connectTimeoutMs = connectTimeoutMs;
    const host = target.address.includes(":") ? `[${target.address}]` : target.address;
    // As requests will name it: in lower case, and IPv6 in its short form.
    this.authority = new URL(`https://${host}:${target.port}`).origin;
  }

  /** Connects, where nothing is open; who is at the other end has been checked then. */
  async open(): Promise<void> {
    await this.#ready();
  }

  async request(
    method: string,
    path: string,
    headers: http2.OutgoingHttpHeaders,
    options: Omit<http2.ClientSessionRequestOptions, "signal">,
  ): Promise<http2.ClientHttp2Stream> {
    const session = await this.#ready();
    const stream = session.request({ ...headers, ":method": method, ":path": path }, options);
    this.#streams.add(stream);
    stream.once("close", () => this.#streams.delete(stream));
    return stream;
  }

  notifyResponseByteRead(): void {}

  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) destroyLater(session);
  }

  async #ready(): Promise<http2.ClientHttp2Session> {
    if (this.#isClosed) throw new Error("this connection was closed by its user");
    const current = (this.#current ??= this.#kept(this.#open()));
    const session = await current;
    if (!session.closed && !session.destroyed) return session;
    this.#forget(current);
    return this.#ready();
  }

  #kept(opening: Promise<http2.ClientHttp2Session>): Promise<http2.ClientHttp2Session> {
    const forget = () => this.#forget(opening);
    opening.then((session) => session.once("goaway", forget).once("close", forget), forget);
    return opening;
  }

  /** The next call opens another. One that still ends its last calls says so when another has its place already. */
  #forget(opening: Promise<http2.ClientHttp2Session>): void {
    if (this.#current === opening) this.#current = undefined;
  }

  async #open(): Promise<http2.ClientHttp2Session> {
    const { address } = this.#target;
    const message = `no connection to ${address} within ${this.#connectTimeoutMs} ms`;
    const socket = await limitTime(this.#clock, this.#connectTimeoutMs, message, undefined, (signal) =>
      connectTls(this.#target, signal),
    );
    if (this.#isClosed) {
      socket.destroy();
      throw new Error("this connection was closed by its user");
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, probeAfterMs);
    const session = http2.connect(this.authority, {
      createConnection: () => socket,
      // The default windows of 64 KiB make every tunnel with a round-trip time slow.
      settings: { initialWindowSize: windowBytes },
    });
    session.once("connect", () => session.setLocalWindowSize(windowBytes));
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
    // Every open stream gets the same error and tells it to its caller.
    session.on("error", () => undefined);
    keepAlive(session, this.#pings, () => this.#streams.size > 0);
    return session;
  }
}

/** A node that lost its power behind a jump host sends nothing; without pings a quiet stream would wait for ever. */
function keepAlive(session: http2.ClientHttp2Session, pings: Pings, isAwaited: () => boolean): void {
  const timer = setInterval(() => {
    if (session.destroyed || !isAwaited()) return;
    const lost = setTimeout(() => {
      destroyLater(session, Object.assign(new Error("no answer to a ping"), { code: "ETIMEDOUT" }));
    }, pings.timeoutMs);
    lost.unref();
    session.ping(() => clearTimeout(lost));
  }, pings.everyMs);
  timer.unref();
  session.once("close", () => clearInterval(timer));
}
