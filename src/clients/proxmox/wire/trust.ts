import type { Socket } from "node:net";
import type tls from "node:tls";
import { secureSocket, UntrustedError, type Trust } from "../../../lib/index.ts";
import { tlsUntrusted } from "../errors.ts";

/** Wraps a TCP connection in TLS. Resolves only once the certificate is trusted, so that nothing was sent before. */
export async function secure(
  socket: Socket,
  url: URL,
  trust: Trust,
  signal?: AbortSignal,
): Promise<tls.TLSSocket> {
  try {
    return await secureSocket(socket, url, trust, signal);
  } catch (thrown) {
    if (!(thrown instanceof UntrustedError)) throw thrown;
    throw tlsUntrusted({ url: url.origin, found: thrown.found, problem: thrown.problem });
  }
}
