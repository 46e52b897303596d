import http from "node:http";
import type { Duplex } from "node:stream";
import { bareHost, type Dial, type Trust, secureSocket, UntrustedError } from "../../../lib/index.ts";
import type { Socket } from "node:net";
import type tls from "node:tls";
import { tlsUntrusted } from "../errors.ts";

export interface ConnectionOptions {
  url: URL;
  trust: Trust;
  dial: Dial;
  /** How long a connection may rest, in time of the wall. */
  idleMs?: number;
}

// Proxmox closes an idle connection after 5 s without saying so; a request sent at that moment would be lost.
const defaultIdleMs = 4_000;
// It also ends every connection after 100 requests.
const mostRequests = 90;

/** The connection could not be made, so nothing of the request has left this machine. */
export class ConnectFailure extends Error {
  override readonly name = "ConnectFailure";
}

/** What a request hands to its connection. Node keeps a `signal` to itself, and ends with it only what has a socket. */
export interface Ending {
  ending: AbortSignal;
}

/** Keeps trusted connections to one server for the next request. */
export class Connections extends http.Agent {
  readonly #options: ConnectionOptions;
  readonly #idle = new Map<Duplex, NodeJS.Timeout>();
  readonly #requests = new WeakMap<Duplex, number>();

  constructor(options: ConnectionOptions) {
    super({ keepAlive: true });
    this.#options = options;
  }

  override createConnection(
    request: http.ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const done = callback as ((error: Error | null, stream?: Duplex) => void) | undefined;
    this.#open((request as { ending?: AbortSignal }).ending).then(
      (socket) => done?.(null, socket),
      (error: unknown) => done?.(new ConnectFailure("connection failed", { cause: error })),
    );
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const requests = (this.#requests.get(socket) ?? 0) + 1;
    this.#requests.set(socket, requests);
    if (requests >= mostRequests) return false;
    super.keepSocketAlive(socket);
    const timer = setTimeout(() => socket.destroy(), this.#options.idleMs ?? defaultIdleMs);
    this.#idle.set(socket, timer.unref());
    return true;
  }

  override reuseSocket(socket: Duplex, request: http.ClientRequest): void {
    super.reuseSocket(socket, request);
    this.#forget(socket);
  }

  override destroy(): void {
    for (const socket of this.#idle.keys()) this.#forget(socket);
    super.destroy();
  }

  #forget(socket: Duplex): void {
    clearTimeout(this.#idle.get(socket));
    this.#idle.delete(socket);
  }

  async #open(signal: AbortSignal | undefined): Promise<Duplex> {
    const { url, dial, trust } = this.#options;
    const socket = await dial(
      { host: bareHost(url), port: Number(url.port === "" ? 443 : url.port) },
      signal,
    );
    const secured = await secure(socket, url, trust, signal);
    secured.once("close", () => this.#forget(secured));
    return secured;
  }
}

/** Wraps a TCP connection in TLS. Resolves only once the certificate is trusted, so that nothing was sent before. */
async function secure(socket: Socket, url: URL, trust: Trust, signal?: AbortSignal): Promise<tls.TLSSocket> {
  try {
    return await secureSocket(socket, url, trust, signal);
  } catch (thrown) {
    if (!(thrown instanceof UntrustedError)) throw thrown;
    throw tlsUntrusted({ url: url.origin, found: thrown.found, problem: thrown.problem });
  }
}
