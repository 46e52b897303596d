import http from "node:http";
import type { Duplex } from "node:stream";
import {
  bareHost,
  IdleSockets,
  realClock,
  secureSocket,
  UntrustedError,
  type Dial,
  type Trust,
} from "../../../lib/index.ts";
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
  readonly #idle: IdleSockets;
  readonly #requests = new WeakMap<Duplex, number>();

  constructor(options: ConnectionOptions) {
    super({ keepAlive: true });
    this.#options = options;
    this.#idle = new IdleSockets(realClock, options.idleMs ?? defaultIdleMs);
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
    this.#idle.add(socket);
    return true;
  }

  override reuseSocket(socket: Duplex, request: http.ClientRequest): void {
    super.reuseSocket(socket, request);
    this.#idle.delete(socket);
  }

  override destroy(): void {
    this.#idle.clear();
    super.destroy();
  }

  async #open(signal: AbortSignal | undefined): Promise<Duplex> {
    const { url, dial, trust } = this.#options;
    const socket = await dial(
      { host: bareHost(url), port: Number(url.port === "" ? 443 : url.port) },
      signal,
    );
    return secure(socket, url, trust, signal);
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
