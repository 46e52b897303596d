import { X509Certificate } from "node:crypto";
import { connectionWords, limitTime, type Dial } from "../../lib/index.ts";
import { isMaintenanceCertificate, openUnverified, peerCertificate, spkiFingerprint } from "./connect-tls.ts";

/**
 * silent: nobody answers · maintenance: waits for its first config · ours: has a config of our cluster ·
 * other-cluster: has a config, but not ours; never touch it.
 */
export type TalosProbe =
  | { state: "silent"; reason: string }
  | { state: "maintenance"; fingerprint: string }
  | { state: "ours" }
  | { state: "other-cluster" };

export interface ProbeTarget {
  address: string;
  port?: number;
  dial: Dial;
  /** Our cluster's Talos authority, PEM. Without it no configured node is ours. */
  osCa?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Tells the state of a node from its certificate alone; nothing is sent to it. */
export async function probeTalos(to: ProbeTarget): Promise<TalosProbe> {
  const { address, port = 50_000, timeoutMs = 5_000 } = to;
  let certificate: X509Certificate | undefined;
  try {
    certificate = await limitTime(
      timeoutMs,
      `no answer within ${timeoutMs} ms`,
      to.signal,
      async (signal) => {
        const socket = await openUnverified({ address, port, dial: to.dial }, signal);
        const found = peerCertificate(socket);
        socket.destroy();
        return found;
      },
    );
  } catch (error) {
    if (to.signal?.aborted) throw to.signal.reason as Error;
    return { state: "silent", reason: connectionWords(error) };
  }
  if (certificate === undefined) return { state: "silent", reason: "no certificate" };
  if (isMaintenanceCertificate(certificate)) {
    return { state: "maintenance", fingerprint: spkiFingerprint(certificate) };
  }
  const isOurs = to.osCa !== undefined && isIssuedBy(certificate, new X509Certificate(to.osCa));
  return { state: isOurs ? "ours" : "other-cluster" };
}

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
