import type tls from "node:tls";

/**
 * Waits for the end of a TLS handshake. A peer that takes the connection and never says a word gives no event at all, so
 * only the signal ends that wait.
 */
export function handshake(socket: tls.TLSSocket, signal?: AbortSignal): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      socket.removeListener("secureConnect", succeed);
      socket.removeListener("error", fail);
      socket.removeListener("close", closed);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const succeed = () => finish(() => resolve(socket));
    const fail = (error: Error) => {
      finish(() => reject(error));
      // What it still has to say has no hearer any more.
      socket.on("error", () => undefined).destroy();
    };
    const closed = () =>
      fail(
        Object.assign(new Error("the connection was closed during the TLS handshake"), {
          code: "ECONNRESET",
        }),
      );
    const abort = () => fail(signal?.reason as Error);
    socket.once("secureConnect", succeed);
    socket.once("error", fail);
    socket.once("close", closed);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}
