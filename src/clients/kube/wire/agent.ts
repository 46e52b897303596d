import https from "node:https";
import type http from "node:http";
import type net from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { handshake, IdleSockets, limitTime, type Clock, type Dial } from "../../../lib/index.ts";
import type { KubeAccess } from "../kubeconfig.ts";

type Done = (error: Error | null, socket?: net.Socket) => void;

/** What a request hands to its connection: Node keeps a `signal` to itself. */
export interface Ending {
  ending: AbortSignal;
}

export interface AgentTimes {
  /** For a connection to be made. */
  timeoutMs: number;
  /** After which a connection that nobody uses is closed. */
  idleMs: number;
}

/** An HTTPS agent whose connections are made by `dial` and checked against the cluster's own authority only. */
export function kubeAgent(
  access: KubeAccess,
  dial: Dial,
  clock: Clock,
  { timeoutMs, idleMs }: AgentTimes,
): https.Agent {
  const { hostname, port } = new URL(access.server);
  const host = hostname.replace(/^\[|\]$/g, "");
  const context = tls.createSecureContext({ ca: access.ca, cert: access.cert, key: access.key });
  const agent = new RestingAgent(new IdleSockets(clock, idleMs));
  const connect = async (limit: AbortSignal): Promise<net.Socket> => {
    const socket = await dial({ host, port: Number(port || 443) }, limit);
    socket.setKeepAlive(true, 15_000);
    const secured = tls.connect({
      socket,
      host,
      servername: access.serverName,
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
    });
    return handshake(secured, limit);
  };
  return Object.assign(agent, {
    createConnection({ ending }: Partial<Ending>, done: Done): undefined {
      limitTime(clock, timeoutMs, "no connection in time", ending, connect).then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error),
      );
    },
  });
}

/** Keeps connections for the next request, though not for ever. */
class RestingAgent extends https.Agent {
  readonly #idle: IdleSockets;

  constructor(idle: IdleSockets) {
    super({ keepAlive: true, maxFreeSockets: 4 });
    this.#idle = idle;
  }

  override keepSocketAlive(socket: Duplex): boolean {
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
}

/** Node's names for "this is not the certificate I was told to expect". */
export const isTrustError = (error: unknown): boolean => {
  const code = (error as { code?: string } | undefined)?.code ?? "";
  return /^(ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY)|INVALID_CA|INVALID_PURPOSE)/.test(
    code,
  );
};
