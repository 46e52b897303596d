import type net from "node:net";

/** A port of this machine, held open until it is closed. */
export interface LocalPort {
  port: number;
  close(): Promise<void>;
}

/** What a server on loopback holds open: all of it ends when its port is closed. */
export interface LoopbackServer {
  /** Aborted when the port is closed. */
  ended: AbortSignal;
  /** This connection ends with the port, whichever side opened it. */
  keep(socket: net.Socket): void;
  /** At any free port of 127.0.0.1 unless another is given. */
  listen(server: net.Server, port?: number, host?: "127.0.0.1" | "::1"): Promise<LocalPort>;
}

export function loopbackServer(): LoopbackServer {
  const ended = new AbortController();
  const open = new Set<net.Socket>();
  return {
    ended: ended.signal,
    keep(socket) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    },
    async listen(server, port = 0, host = "127.0.0.1") {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.removeListener("error", reject);
          resolve();
        });
      });
      return {
        port: (server.address() as net.AddressInfo).port,
        close: () => {
          ended.abort(new Error("no longer needed"));
          for (const socket of open) socket.destroy();
          return new Promise((resolve) => void server.close(() => resolve()));
        },
      };
    },
  };
}
