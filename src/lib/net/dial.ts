import net from "node:net";
import { onAbort } from "../time/on-abort.ts";

export interface Target {
  host: string;
  port: number;
}

/** Opens a TCP connection. Every client gets one, so that a jump host or a simulation needs no other change. */
export type Dial = (to: Target, signal?: AbortSignal) => Promise<net.Socket>;

/**
 * A network's own word for what went wrong, and by which host the connection went or would have gone. Carries no cause:
 * clients must treat it as they treat the network itself.
 */
export class RouteError extends Error {
  override readonly name = "WayError";
  readonly code: string;
  readonly through: string;

  constructor(code: string, through: string, message: string) {
    super(message);
    this.code = code;
    this.through = through;
  }
}

/** ` (through admin@bastion)` where a connection did not go directly, to stand behind what went wrong. */
export function routeOf(thrown: unknown): string {
  for (let current = thrown; current instanceof Error; current = current.cause) {
    if (current instanceof RouteError) return ` (through ${current.through})`;
  }
  return "";
}

/** Connects directly. */
export const dialDirect: Dial = (to, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const socket = net.connect({ host: to.host, port: to.port, noDelay: true });
    const leave =
      signal &&
      onAbort(signal, () => {
        socket.destroy();
        reject(signal.reason as Error);
      });
    const fail = (error: Error) => {
      leave?.();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      leave?.();
      socket.off("error", fail);
      resolve(socket);
    });
  });
