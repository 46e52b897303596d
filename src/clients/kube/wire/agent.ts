import https from "node:https";
import type net from "node:net";
import tls from "node:tls";
import { handshake, limitTime, type Clock, type Dial } from "../../../lib/index.ts";
import type { KubeAccess } from "../kubeconfig.ts";

type Done = (error: Error | null, socket?: net.Socket) => void;

/** What a request hands to its connection: Node keeps a `signal` to itself. */
export interface Ending {
  ending: AbortSignal;
}

export interface AgentTimes {
  /** For a connection to be made. */
  timeoutMs: number;
  /** After which a connection that nobody uses is closed: what runs for weeks would collect them. */
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
  const agent = new https.Agent({ keepAlive: true, maxFreeSockets: 4, timeout: idleMs });
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

/** Node's names for "this is not the certificate I was told to expect". */
export const isTrustError = (error: unknown): boolean => {
  const code = (error as { code?: string } | undefined)?.code ?? "";
  return /^(ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY)|INVALID_CA|INVALID_PURPOSE)/.test(
    code,
  );
};
