import { readFile } from "node:fs/promises";
import type net from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { limitTime, realClock, serverName, type Dial } from "../../../lib/index.ts";
import { certificateUnreadable, tlsFailed, tlsRefused } from "../errors.ts";
import type { TlsUri } from "./uri.ts";

/** Who we are and whom we trust, all PEM. */
export interface TlsIdentity {
  ca: string;
  cert: string;
  key: string;
}

/** Where libvirt's own programs look when nobody says otherwise. */
const usualFiles: TlsIdentity = {
  ca: "/etc/pki/CA/cacert.pem",
  cert: "/etc/pki/libvirt/clientcert.pem",
  key: "/etc/pki/libvirt/private/clientkey.pem",
};

export async function readTlsIdentity(folder: string | undefined): Promise<TlsIdentity> {
  const inFolder = (name: string): string => path.join(folder ?? "", name);
  const files =
    folder === undefined
      ? usualFiles
      : { ca: inFolder("cacert.pem"), cert: inFolder("clientcert.pem"), key: inFolder("clientkey.pem") };
  const read = (file: string): Promise<string> =>
    readFile(file, "utf8").catch((cause: unknown) => {
      throw certificateUnreadable({ file, cause });
    });
  return { ca: await read(files.ca), cert: await read(files.cert), key: await read(files.key) };
}

/** The daemon's first byte when it has accepted our certificate. */
const accepted = 1;
const handshakeMs = 20_000;
/** Without these probes a host that lost its power would be waited for until a call's limit. */
const probeAfterMs = 30_000;

export async function openOverTls(
  { host, port }: TlsUri,
  identity: TlsIdentity,
  dial: Dial,
): Promise<Duplex> {
  const late = `no answer within ${handshakeMs / 1000} s`;
  let raw: net.Socket | undefined;
  try {
    return await limitTime(realClock, handshakeMs, late, undefined, async (signal) => {
      raw = await dial({ host, port }, signal);
      raw.setKeepAlive(true, probeAfterMs);
      return await shakeHands(raw, host, identity);
    });
  } catch (thrown) {
    raw?.destroy();
    throw thrown instanceof NotAccepted
      ? tlsRefused({ host, reason: thrown.message })
      : tlsFailed({ host, port, cause: thrown });
  }
}

/** The host is who it says; only what it thinks of us was not to its liking. */
class NotAccepted extends Error {}

function shakeHands(raw: net.Socket, host: string, identity: TlsIdentity): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    let isTrusted = false;
    const fail = (error: Error): void => reject(isTrusted ? new NotAccepted(error.message) : error);
    const socket = tls.connect({
      socket: raw,
      ...identity,
      servername: serverName(host),
      checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(host, certificate),
    });
    const closed = (): void => fail(new Error("the host closed the connection"));
    socket.once("error", fail).once("close", closed);
    socket.once("secureConnect", () => {
      isTrusted = true;
    });
    socket.once("readable", () => {
      const first = socket.read(1) as Buffer | null;
      if (first?.[0] !== accepted) return fail(new Error("the host did not accept our certificate"));
      socket.off("error", fail).off("close", closed);
      resolve(socket);
    });
  });
}
