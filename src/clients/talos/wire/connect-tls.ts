import { createHash, type X509Certificate } from "node:crypto";
import tls from "node:tls";
import { handshake, serverName, type Dial } from "../../../lib/index.ts";
import { fingerprintMismatch, notInMaintenance } from "../errors.ts";

/** How we prove who we are, and how we know the node: our authority and client certificate, all PEM. */
export interface TalosIdentity {
  ca: string;
  cert: string;
  key: string;
}

/** A node without config: nobody is known yet. With a fingerprint, only that node is talked to. */
export interface TalosMaintenance {
  fingerprint?: string;
}

export interface TlsTarget {
  address: string;
  port: number;
  dial: Dial;
  identity?: TalosIdentity;
  maintenance?: TalosMaintenance;
}

const maintenanceName = "maintenance-service.talos.dev";

/**
 * An open TLS connection whose other end has been checked. The check is finished before anybody else sees the socket:
 * destroying a socket that HTTP/2 already holds aborts the whole process on every Node version tried.
 */
export async function connectTls(target: TlsTarget, signal: AbortSignal): Promise<tls.TLSSocket> {
  const socket = await open(target, signal);
  if (target.identity !== undefined) return socket;
  try {
    checkMaintenance(target, socket);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

/** A connection to whoever answers, for looking at the certificate only. */
export const openUnverified = (
  target: Pick<TlsTarget, "address" | "port" | "dial">,
  signal: AbortSignal,
): Promise<tls.TLSSocket> => open(target, signal);

/** As talosctl and the node's console write it: over the public key, not over the certificate. */
export function spkiFingerprint(certificate: X509Certificate): string {
  const spki = certificate.publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(spki).digest("base64");
}

/** Node leaves the subject undefined when the certificate has an empty one. */
export const isMaintenanceCertificate = (certificate: { subject?: string }): boolean =>
  certificate.subject?.split("\n").includes(`CN=${maintenanceName}`) ?? false;

function checkMaintenance(target: TlsTarget, socket: tls.TLSSocket): void {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !isMaintenanceCertificate(certificate)) {
    throw notInMaintenance(target.address);
  }
  const wanted = target.maintenance?.fingerprint;
  const found = spkiFingerprint(certificate);
  if (wanted !== undefined && wanted !== found) {
    throw fingerprintMismatch({ address: target.address, wanted, found });
  }
}

async function open(target: TlsTarget, signal: AbortSignal): Promise<tls.TLSSocket> {
  const raw = await target.dial({ host: target.address, port: target.port }, signal);
  return handshake(tls.connect({ ...tlsOptions(target), socket: raw, ALPNProtocols: ["h2"] }), signal);
}

/** Reading keys and certificates costs more than the handshake, and many connections share an identity. */
const contexts = new Map<string, tls.SecureContext>();
const mostContexts = 32;

function contextFor(identity: TalosIdentity | undefined): tls.SecureContext {
  const name = identity === undefined ? "" : `${identity.ca}${identity.cert}`;
  const known = contexts.get(name);
  if (known !== undefined) return known;
  const made = tls.createSecureContext(
    identity && { ca: identity.ca, cert: identity.cert, key: nodeKey(identity.key) },
  );
  if (contexts.size >= mostContexts) contexts.clear();
  contexts.set(name, made);
  return made;
}

function tlsOptions(target: TlsTarget): tls.ConnectionOptions {
  const secureContext = contextFor(target.identity);
  if (target.identity === undefined) return { secureContext, rejectUnauthorized: false, servername: "" };
  return {
    secureContext,
    servername: serverName(target.address),
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(target.address, certificate),
  };
}

/**
 * A private key in the label Node reads. Talos writes `ED25519 PRIVATE KEY` around an ordinary PKCS#8 body,
 * which OpenSSL refuses.
 */
const nodeKey = (pem: string): string => pem.replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY");
