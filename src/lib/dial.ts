import net from "node:net";

export interface Target {
  host: string;
  port: number;
}

/** Opens a TCP connection. Every client gets one, so that a jump host or a simulation needs no other change. */
export type Dial = (to: Target, signal?: AbortSignal) => Promise<net.Socket>;

/** Connects directly. */
export const dialDirect: Dial = (to, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const socket = net.connect({ host: to.host, port: to.port, noDelay: true });
    const finish = (settle: () => void) => {
      socket.removeAllListeners("connect");
      socket.removeAllListeners("error");
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const abort = () => {
      socket.destroy();
      finish(() => reject(signal?.reason as Error));
    };
    socket.once("connect", () => finish(() => resolve(socket)));
    socket.once("error", (error) => finish(() => reject(error)));
    signal?.addEventListener("abort", abort, { once: true });
  });
