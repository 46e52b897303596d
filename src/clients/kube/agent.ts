import https from "node:https";
import type net from "node:net";
import tls from "node:tls";
import type { Dial } from "../../lib/index.ts";
import type { KubeAccess } from "./kubeconfig.ts";

type Done = (error: Error | null, socket?: net.Socket) => void;

/** An HTTPS agent whose connections are made by `dial` and checked against the cluster's own authority only. */
export function kubeAgent(access: KubeAccess, dial: Dial, timeoutMs: number): https.Agent {
  const { hostname, port } = new URL(access.server);
  const host = hostname.replace(/^\[|\]$/g, "");
  const context = tls.createSecureContext({ ca: access.ca, cert: access.cert, key: access.key });
  const agent = new https.Agent({ keepAlive: true, maxFreeSockets: 4 });
  const connect = async (): Promise<net.Socket> => {
    const limit = AbortSignal.timeout(timeoutMs);
    const socket = await dial({ host, port: Number(port || 443) }, limit);
    socket.setKeepAlive(true, 15_000);
    const secured = tls.connect({
      socket,
      host,
      ...(access.serverName !== undefined && { servername: access.serverName }),
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
    });
    return handshake(secured, limit);
  };
  return Object.assign(agent, {
    createConnection(_options: unknown, done: Done): undefined {
      connect().then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error),
      );
    },
  });
}

function handshake(socket: tls.TLSSocket, limit: AbortSignal): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.destroy(limit.reason as Error);
    limit.addEventListener("abort", giveUp, { once: true });
    socket.once("secureConnect", () => {
      socket.removeListener("error", reject);
      limit.removeEventListener("abort", giveUp);
      resolve(socket);
    });
    socket.once("error", reject);
    // A peer that hangs up during the handshake without a word gives no error event.
    socket.once("close", () => reject(new Error("the connection was closed during the TLS handshake")));
  });
}

/** Node's names for "this is not the certificate I was told to expect". */
export const isTrustError = (error: unknown): boolean => {
  const code = (error as { code?: string } | undefined)?.code ?? "";
  return /^(ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY)|INVALID_CA|INVALID_PURPOSE)/.test(
    code,
  );
};
