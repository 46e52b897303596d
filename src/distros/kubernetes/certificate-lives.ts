import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import tls from "node:tls";
import { handshake, limitTime, type Clock, type Dial } from "../../lib/index.ts";
import type { CertificateLife } from "../../plan/index.ts";
import type { FileFacts } from "./access-facts.ts";

const patienceMs = 3_000;

/** Of a certificate in PEM; of several, the first. */
export const lifeOf = (name: string, pem: string, renew: string): CertificateLife[] => {
  try {
    return [{ name, expiresMs: Date.parse(new X509Certificate(pem).validTo), renew }];
  } catch {
    return [];
  }
};

/** The client certificate of an access file; nothing where there is none. */
export async function lifeOfFile(
  name: string,
  file: string,
  read: (text: string) => FileFacts,
  renew: string,
): Promise<CertificateLife[]> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return [];
  try {
    return lifeOf(name, read(text).client, renew);
  } catch {
    return [];
  }
}

/** What an API server shows to whoever comes; nothing where none answers. */
export async function lifeOfServer(
  name: string,
  to: { host: string; port: number; dial: Dial; clock: Clock; signal: AbortSignal },
  renew: string,
): Promise<CertificateLife[]> {
  const { host, port } = to;
  try {
    const pem = await limitTime(to.clock, patienceMs, "no answer", to.signal, async (signal) => {
      const raw = await to.dial({ host, port }, signal);
      const socket = await handshake(
        tls.connect({ socket: raw, rejectUnauthorized: false, servername: "" }),
        signal,
      );
      const shown = socket.getPeerX509Certificate();
      socket.destroy();
      return shown?.toString() ?? "";
    });
    return lifeOf(name, pem, renew);
  } catch (thrown) {
    if (to.signal.aborted) throw thrown;
    return [];
  }
}
