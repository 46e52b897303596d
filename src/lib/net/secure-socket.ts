import type { Socket } from "node:net";
import tls from "node:tls";
import { handshake } from "./handshake.ts";
import { serverName } from "./server-name.ts";

/** How the server's certificate is judged. */
export type Trust = { fingerprint: string } | { ca: string } | { insecure: true } | { system: true };

/** No reason to trust the certificate that was shown. */
export class UntrustedError extends Error {
  override readonly name = "UntrustedError";
  /** Its SHA-256 fingerprint. */
  readonly found: string;
  readonly problem: string;

  constructor(found: string, problem: string) {
    super(`its certificate ${found} is not trusted: ${problem}`);
    this.found = found;
    this.problem = problem;
  }
}

/** Wraps a TCP connection in TLS. Resolves only once the certificate is trusted, so that nothing was sent before. */
export async function secureSocket(
  socket: Socket,
  url: URL,
  trust: Trust,
  signal?: AbortSignal,
): Promise<tls.TLSSocket> {
  const host = bareHost(url);
  const secured = tls.connect({
    socket,
    host,
    servername: serverName(host),
    secureContext: contextOf(trust),
    // The verdict is ours, below: only then can the error name the certificate that was found.
    rejectUnauthorized: false,
  });
  await handshake(secured, signal);
  const problem = distrust(secured, trust);
  if (problem === undefined) return secured;
  const found = fingerprintOf(secured);
  secured.destroy();
  throw new UntrustedError(found, problem);
}

const contexts = new WeakMap<Trust, tls.SecureContext>();

/** Reading authorities takes longer than a handshake, so they are read once, and only where they have a say. */
function contextOf(trust: Trust): tls.SecureContext {
  const ca = "ca" in trust ? trust.ca : "system" in trust ? undefined : [];
  const known = contexts.get(trust) ?? tls.createSecureContext({ ca });
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
