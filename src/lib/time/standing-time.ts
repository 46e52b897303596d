import { webcrypto } from "node:crypto";

let works = 0;

/**
 * Virtual time stands still during `work`. For what the event loop shows no trace of until it has ended: keys made on
 * another thread, modules being loaded.
 */
export async function whileTimeStands<T>(work: () => Promise<T>): Promise<T> {
  works += 1;
  try {
    return await work();
  } finally {
    works -= 1;
  }
}

export const isTimeStanding = (): boolean => works > 0;

let turns = 0;

/** In a turn of its own, of this very moment: virtual time goes on after it. The event loop counts no such turns. */
export function inNextTurn(run: () => void): void {
  turns += 1;
  setImmediate(() => {
    turns -= 1;
    run();
  });
}

export const isTurnDue = (): boolean => turns > 0;

/** Node's cryptography, which works on other threads. */
export const subtle: webcrypto.SubtleCrypto = new Proxy(webcrypto.subtle, {
  get(target, name) {
    const value: unknown = Reflect.get(target, name, target);
    if (typeof value !== "function") return value;
    return (...args: unknown[]) =>
      whileTimeStands(() => Reflect.apply(value, target, args) as Promise<unknown>);
  },
});

/** The same for libraries that want to be given all of it. */
export const standingCrypto = {
  subtle,
  getRandomValues: <T extends Uint8Array>(into: T): T => webcrypto.getRandomValues(into),
};
