import net from "node:net";
import type { Duplex } from "node:stream";
import { notRunning, socketDenied } from "./errors.ts";
import { socketPaths } from "./sockets.ts";
import type { LocalUri } from "./uri.ts";

/** Connects to the daemon of this machine. `runtime` is XDG_RUNTIME_DIR. */
export async function openLocalSocket(uri: LocalUri, runtime: string): Promise<Duplex> {
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
