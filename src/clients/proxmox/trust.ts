import type { Socket } from "node:net";
import tls from "node:tls";
import { serverName } from "../../lib/index.ts";
import { tlsUntrusted } from "./errors.ts";

/** How the server's certificate is judged. */
export type Trust = { fingerprint: string } | { ca: string } | { insecure: true } | { system: true };

/** Wraps a TCP connection in TLS. Resolves only once the certificate is trusted, so that nothing was sent before. */
export function secure(socket: Socket, url: URL, trust: Trust, signal?: AbortSignal): Promise<tls.TLSSocket> {
  const host = bareHost(url);
  return new Promise((resolve, reject) => {
    const secured = tls.connect({
      socket,
      host,
      servername: serverName(host),
      ...("ca" in trust && { secureContext: contextOf(trust) }),
      // The verdict is ours, below: only then can the error name the certificate that was found.
      rejectUnauthorized: false,
    });
    const fail = (error: Error) => {
      secured.destroy();
      reject(error);
    };
    const abort = () => fail(signal?.reason as Error);
    secured.once("error", fail);
    secured.once("secureConnect", () => {
      signal?.removeEventListener("abort", abort);
      const problem = distrust(secured, trust);
      if (problem !== undefined) {
        fail(tlsUntrusted({ url: url.origin, found: fingerprintOf(secured), problem }));
        return;
      }
      secured.removeListener("error", fail);
      resolve(secured);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

const contexts = new WeakMap<Trust, tls.SecureContext>();

/** Reading an authority takes longer than a handshake, so it is read once. */
function contextOf(trust: { ca: string }): tls.SecureContext {
  const known = contexts.get(trust) ?? tls.createSecureContext({ ca: trust.ca });
  contexts.set(trust, known);
  return known;
}

/** `[::1]` in a URL is `::1` for a socket. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

function distrust(socket: tls.TLSSocket, trust: Trust): string | undefined {
  if ("insecure" in trust) return undefined;
  if ("fingerprint" in trust) {
    const isSame = plainHex(fingerprintOf(socket)) === plainHex(trust.fingerprint);
    return isSame ? undefined : `it is not the pinned one, ${trust.fingerprint}`;
  }
  if (socket.authorized) return undefined;
  // Node declares an Error here but puts the error's code there.
  const reason = String(socket.authorizationError);
  const judge = "ca" in trust ? "the given CA" : "the system's CAs";
  return `${judge} does not vouch for it (${reason})`;
}

const fingerprintOf = (socket: tls.TLSSocket): string => socket.getPeerCertificate().fingerprint256 ?? "none";

const plainHex = (fingerprint: string): string =>
  fingerprint
    .replace(/^sha-?256[:=]/i, "")
    .replace(/[^0-9a-f]/gi, "")
    .toLowerCase();
