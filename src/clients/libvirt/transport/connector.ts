import net from "node:net";
import { notRunning, socketDenied } from "../errors.ts";
import { socketPaths } from "./sockets.ts";
import type { Duplex } from "node:stream";
import type { Dial } from "../../../lib/index.ts";
import { findWay, type KnownRoute, type SshRoute } from "./over-ssh.ts";
import { openOverTls, readTlsIdentity, type TlsIdentity } from "./over-tls.ts";
import type { Driver, LibvirtUri, SshUri, LocalUri } from "./uri.ts";

export interface ConnectorOptions {
  /** For TLS; SSH brings its own. */
  dial: Dial;
  /** Logs in where the URI says; through jump hosts, if there are any. */
  ssh(uri: SshUri): Promise<SshRoute>;
  /** Instead of the files that libvirt's own programs use. */
  tls?: TlsIdentity;
  /** XDG_RUNTIME_DIR, where the daemon of `qemu:///session` listens. */
  runtimeFolder?: string | undefined;
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
  let current: Promise<SshRoute> | undefined;
  let known: KnownRoute | undefined;
  // Each asks the one before: many at once still share one connection.
  const connection = (): Promise<SshRoute> => {
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

/** Connects to the daemon of this machine. `runtime` is XDG_RUNTIME_DIR. */
async function openLocalSocket(uri: LocalUri, runtime: string): Promise<Duplex> {
  const paths = uri.socket === undefined ? socketPaths(uri.driver, runtime) : [uri.socket];
  for (const path of paths) {
    try {
      return await connectTo(path);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EACCES" || code === "EPERM") throw socketDenied({ path, cause: thrown });
    }
  }
  throw notRunning({ driver: uri.driver, paths });
}

function connectTo(path: string): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
