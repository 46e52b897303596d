import type { Duplex } from "node:stream";
import type { Dial } from "../../lib/index.ts";
import { openLocalSocket } from "./local-socket.ts";
import { findWay, type KnownWay, type SshWay } from "./over-ssh.ts";
import { openOverTls, readTlsIdentity, type TlsIdentity } from "./over-tls.ts";
import type { Driver, LibvirtUri, SshUri } from "./uri.ts";

export interface ConnectorOptions {
  /** For TLS; SSH brings its own. */
  dial: Dial;
  /** Logs in where the URI says; through jump hosts, if there are any. */
  ssh(uri: SshUri): Promise<SshWay>;
  /** Instead of the files that libvirt's own programs use. */
  tls?: TlsIdentity;
  /** XDG_RUNTIME_DIR, where the daemon of `qemu:///session` listens. */
  runtimeFolder?: string;
}

/** What `openLibvirt` needs to know of a URI. */
export interface LibvirtConnector {
  driver: Driver;
  connect(): Promise<Duplex>;
  /** Ends what the connections had in common: the SSH connection below them. */
  close(): void;
}

/** How the daemon that a URI names is reached, as often as needed. */
export function libvirtConnector(uri: LibvirtUri, options: ConnectorOptions): LibvirtConnector {
  const { driver } = uri;
  switch (uri.transport) {
    case "unix":
      return {
        driver,
        connect: () => openLocalSocket(uri, options.runtimeFolder ?? "/run/user/0"),
        close: () => undefined,
      };
    case "tls":
      return {
        driver,
        connect: async () => {
          const identity = options.tls ?? (await readTlsIdentity(uri.pkiFolder));
          return openOverTls(uri, identity, options.dial);
        },
        close: () => undefined,
      };
    case "ssh":
      return { driver, ...sharedSsh(uri, options) };
  }
}

/** One SSH connection for all connections to the daemon; a new one when it was lost. */
function sharedSsh(uri: SshUri, { ssh }: ConnectorOptions): Pick<LibvirtConnector, "connect" | "close"> {
  let current: Promise<SshWay> | undefined;
  let known: KnownWay | undefined;
  // Each asks the one before: many at once still share one connection.
  const connection = (): Promise<SshWay> => {
    const before = current;
    current = (async () => {
      const last = await before?.catch(() => undefined);
      return last?.isOpen ? last : ssh(uri);
    })();
    return current;
  };
  return {
    connect: async () => {
      const way = await connection();
      if (known) return known(way);
      const found = await findWay(way, uri);
      known = found.way;
      return found.stream;
    },
    close: () => void current?.then((open) => open.close()).catch(() => undefined),
  };
}
