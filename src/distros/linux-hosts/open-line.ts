import type { SshConnection } from "../../clients/ssh/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Seen } from "../../plan/index.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";

/** What a machine that still starts would answer. A wrong host key is not among it. */
const startingCodes = new Set([
  "SSH_UNREACHABLE",
  "SSH_HANDSHAKE_FAILED",
  "SSH_CONNECTION_LOST",
  "SSH_LOGIN_REFUSED",
  "LINUX_GUEST_UNMET",
]);

export const isStarting = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && startingCodes.has(thrown.code);

/** What does not answer because it still starts is asked again. */
export const unlessStarting = async <T>(ask: () => Promise<Seen<T>>): Promise<Seen<T>> => {
  try {
    return await ask();
  } catch (thrown) {
    if (isStarting(thrown)) return { done: false, seen: thrown.why };
    throw thrown;
  }
};

/** One connection as long as it lasts: a busy guest loses it now and then, and logging in again costs it a lot. */
export class OpenLine {
  private readonly access: LinuxAccess;
  private readonly guest: Guest;
  private last: Promise<SshConnection> | undefined;

  constructor(access: LinuxAccess, guest: Guest) {
    this.access = access;
    this.guest = guest;
  }

  /** Several that ask at once share the login. */
  async connection(signal?: AbortSignal, timeoutMs?: number): Promise<SshConnection> {
    const known = await this.last?.catch(() => undefined);
    if (known?.isOpen) return known;
    const opening = this.isOpening ?? this.access.open(this.guest, signal, timeoutMs);
    this.isOpening = opening;
    this.last = opening;
    try {
      return await opening;
    } finally {
      this.isOpening = undefined;
    }
  }

  private isOpening: Promise<SshConnection> | undefined;

  close(): void {
    this.last?.then((connection) => connection.close()).catch(() => undefined);
  }
}
