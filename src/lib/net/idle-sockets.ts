import type { Duplex } from "node:stream";
import type { Clock } from "../time/clock.ts";

/** Connections that wait for the next request, each for so long at most: what runs for weeks would collect them. */
export class IdleSockets {
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #waiting = new Map<Duplex, () => void>();

  constructor(clock: Clock, mostMs: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  /** Nobody uses it from now on. */
  add(socket: Duplex): void {
    this.delete(socket);
    const cancel = this.#clock.after(this.#mostMs, () => socket.destroy(), { isAwaited: false });
    const forget = (): void => this.delete(socket);
    socket.once("close", forget);
    this.#waiting.set(socket, () => {
      cancel();
      socket.removeListener("close", forget);
    });
  }

  /** Somebody does again, or it is closed. */
  delete(socket: Duplex): void {
    this.#waiting.get(socket)?.();
    this.#waiting.delete(socket);
  }

  clear(): void {
    for (const socket of this.#waiting.keys()) this.delete(socket);
  }
}
