import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "../../errors/index.ts";
import { backoffMs, type Dial } from "../../lib/index.ts";
import { isShortage } from "./channel/refusal.ts";
import { connectSsh } from "./connect.ts";
import type { JumpHost } from "./connect-through.ts";
import type { RunResult, SshConnection } from "./connection.ts";
import { sshDial } from "./channel/ssh-dial.ts";
import { untilAborted } from "./channel/until-aborted.ts";

export interface SharedJumpHostOptions {
  /** Read when a connection is about to be opened. */
  jumpHost(): Promise<JumpHost>;
  /** How the hop itself is reached. */
  dial: Dial;
  /** How long a hop that has been there before may be away before those who need it are told. */
  patienceMs?: number;
}

/** A refused login is not tried again by everybody who needs the hop: hosts lock out who knocks too often. */
const rememberedMs = 2_000;
const mostTurns = 20;

/**
 * One SSH connection for all who go through a host: opened when first needed, and opened anew after it was lost. What was
 * under way is cut, as by a network; what begins meanwhile waits for the host to come back.
 */
export class SharedJumpHost {
  private readonly options: SharedJumpHostOptions;
  private current: Promise<SshConnection> | undefined;
  private lostAtMs: number | undefined;
  private isClosed = false;

  constructor(options: SharedJumpHostOptions) {
    this.options = options;
  }

  readonly dial: Dial = async (to, signal) => {
    for (let turn = 1; ; turn++) {
      const connection = await untilAborted(this.connection(), signal);
      try {
        return await sshDial(connection)(to, signal);
      } catch (thrown) {
        const isLost = !connection.isOpen && !this.isClosed;
        if (turn === mostTurns || !(isLost || isShortage(thrown))) throw thrown;
        // A host without room gets some when others are done.
        if (!isLost) await sleep(backoffMs(turn, 50, 1_000), undefined, signal && { signal });
      }
    }
  };

  /** Runs a program on the host itself. */
  async run(command: readonly string[]): Promise<RunResult> {
    return (await this.connection()).run(command);
  }

  close(): void {
    this.isClosed = true;
    void this.current?.then((connection) => connection.close()).catch(() => undefined);
  }

  private connection(): Promise<SshConnection> {
    if (this.current) return this.current;
    const opening = this.open();
    this.current = opening;
    const forget = (): void => {
      if (this.current === opening) this.current = undefined;
    };
    opening.then(
      (connection) =>
        connection.whenOver(() => {
          this.lostAtMs = performance.now();
          forget();
        }),
      () => setTimeout(forget, rememberedMs).unref(),
    );
    return opening;
  }

  private async open(): Promise<SshConnection> {
    const jumpHost = await this.options.jumpHost();
    for (let attempt = 1; ; attempt++) {
      try {
        return await connectSsh({ ...jumpHost, dial: this.options.dial });
      } catch (thrown) {
        if (!this.isComingBack(thrown)) throw thrown;
        await sleep(backoffMs(attempt, 100, 1_000));
      }
    }
  }

  /** A host that is started anew refuses at first, or hangs up before it has said a word. */
  private isComingBack(thrown: unknown): boolean {
    const { patienceMs = 60_000 } = this.options;
    if (this.isClosed || this.lostAtMs === undefined || performance.now() - this.lostAtMs > patienceMs)
      return false;
    const code = thrown instanceof SlipwayError ? thrown.code : (thrown as { code?: unknown }).code;
    return ["SSH_UNREACHABLE", "SSH_HANDSHAKE_FAILED", "ECONNRESET", "ECONNREFUSED"].includes(String(code));
  }
}
