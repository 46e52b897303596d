import net from "node:net";
import type { Dial, Target } from "./dial.ts";
import { joinSockets } from "./join-sockets.ts";

/** A port of this machine that leads to another place. */
export interface Forward {
  port: number;
  close(): Promise<void>;
}

/** For programs that can only connect by themselves. Listens on loopback, at any free port unless one is given. */
export async function forwardLocally(to: Target, dial: Dial, port = 0): Promise<Forward> {
  const ended = new AbortController();
  const open = new Set<net.Socket>();
  const keep = (socket: net.Socket): void => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    keep(near);
    near.on("error", () => undefined);
    dial(to, ended.signal).then(
      (far) => {
        keep(far);
        joinSockets(near, far);
      },
      () => near.resetAndDestroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
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
}
