import type net from "node:net";
import { dialDirect, type Dial } from "../lib/index.ts";

/** The wires of a simulated datacenter: where its addresses really listen, and how to reach them. */
export interface SimNetwork {
  /** Lets `server` accept connections made to `host:port`. Resolves when it listens. */
  listen(server: net.Server, host: string, port: number): Promise<Listening>;
  dial: Dial;
  /** Where this is how one machine sees it: all of it. */
  readonly whole?: SimNetwork;
}

export interface Listening {
  close(): Promise<void>;
}

/** Every address listens where it says, so that kubectl and talosctl can connect; only 127.0.0.0/8 is allowed. */
export function loopbackNetwork(): SimNetwork {
  return {
    async listen(server, host, port) {
      if (!host.startsWith("127.")) throw new Error(`simulated address ${host} is not a loopback address`);
      await startListening(server, port, host);
      // What waits in the kernel to be sent together is on its way without anybody knowing.
      server.on("connection", (socket: net.Socket) => socket.setNoDelay(true));
      return { close: () => stopListening(server) };
    },
    dial: dialDirect,
  };
}

export interface MappedNetwork extends SimNetwork {
  /** Whether something was sent that the other end has not got yet. */
  isUnderWay(): boolean;
}

/** Any address of the user's file, each behind a port of its own on this machine; nothing leaves it. */
export function mappedNetwork(): MappedNetwork {
  const ports = new Map<string, number>();
  const wires = new Wires();
  return {
    async listen(server, host, port) {
      const key = `${host}:${port}`;
      await startListening(server, 0, "127.0.0.1");
      server.on("connection", (socket: net.Socket) => wires.accepted(socket));
      ports.set(key, (server.address() as net.AddressInfo).port);
      return {
        close: async () => {
          ports.delete(key);
          await stopListening(server);
        },
      };
    },
    dial(to, signal) {
      const port = ports.get(`${to.host}:${to.port}`);
      if (port !== undefined)
        return dialDirect({ host: "127.0.0.1", port }, signal).then((socket) => wires.dialled(socket));
      // Who is there refuses what he does not serve; where nobody is, nobody can.
      const isThere = [...ports.keys()].some((key) => key.startsWith(`${to.host}:`));
      const code = isThere ? "ECONNREFUSED" : "EHOSTUNREACH";
      return Promise.reject(Object.assign(new Error(`connect ${code} ${to.host}:${to.port}`), { code }));
    },
    isUnderWay: () => wires.isUnderWay(),
  };
}

/** Longer than this nobody leaves bytes lying who wants them: by the wall, and by looks of a process that got no time. */
const unread = { ms: 50, looks: 50 };

/** Connections of which both ends are in this process. */
class Wires {
  /** By the port of the end that dialled; as one of its ends sees it, each connection has one of its own. */
  readonly #dialled = new Map<number, net.Socket>();
  readonly #accepted = new Map<number, net.Socket>();
  #unread: { sinceMs: number; looks: number } | undefined;

  dialled(socket: net.Socket): net.Socket {
    return this.#keep(this.#dialled, socket, socket.localPort);
  }

  accepted(socket: net.Socket): net.Socket {
    // What waits in the kernel to be sent together is on its way without anybody knowing.
    socket.setNoDelay(true);
    return this.#keep(this.#accepted, socket, socket.remotePort);
  }

  #keep(ends: Map<number, net.Socket>, socket: net.Socket, port: number | undefined): net.Socket {
    if (port === undefined) return socket;
    ends.set(port, socket);
    socket.once("close", () => ends.delete(port));
    return socket;
  }

  isUnderWay(): boolean {
    for (const [port, socket] of this.#dialled) {
      const other = this.#accepted.get(port);
      if (other && (isUnread(socket, other) || isUnread(other, socket))) return this.#isFresh();
    }
    this.#unread = undefined;
    return false;
  }

  /** Who does not read for so long does not want to. */
  #isFresh(): boolean {
    this.#unread ??= { sinceMs: performance.now(), looks: 0 };
    this.#unread.looks += 1;
    return this.#unread.looks < unread.looks || performance.now() - this.#unread.sinceMs < unread.ms;
  }
}

const isUnread = (from: net.Socket, to: net.Socket): boolean => from.bytesWritten > to.bytesRead;

function startListening(server: net.Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Open connections are cut by whoever made the server; here only the door is shut. */
function stopListening(server: net.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
