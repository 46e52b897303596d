import type { SshConnection } from "../../../clients/ssh/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same, type Seen, type StepContext } from "../../../plan/index.ts";
import { readCloudInitStatus } from "../cloud-init-status.ts";
import { cloudInitFailed, noCloudInit } from "./errors.ts";
import { glanceAt } from "./glance.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";

interface SystemHave {
  release: string;
  address: string;
}

/** What a machine that still starts would answer. A wrong host key is not among it. */
const startingCodes = new Set([
  "SSH_UNREACHABLE",
  "SSH_HANDSHAKE_FAILED",
  "SSH_CONNECTION_LOST",
  "SSH_LOGIN_REFUSED",
]);

/** Emulated machines take minutes. */
const bootDeadlineMs = 20 * 60_000;
const quickMs = 8_000;

/** The system of one machine: it comes by itself, from the image and the seed, and is waited for. */
export const linuxSystem = (access: LinuxAccess) =>
  defineResource<Guest, SystemHave>({
    kind: "linux/system",

    async read(ctx, want) {
      try {
        const seen = await access.using(want, ctx.signal, quickMs, (to) => glanceAt(to, ctx.signal));
        return seen.complaints && { release: seen.release, address: want.address };
      } catch (thrown) {
        if (isStarting(thrown)) return undefined;
        throw thrown;
      }
    },

    compare: () => same,

    async create(ctx, want) {
      const line = new OpenLine(access, want);
      try {
        await waitForSsh(line, ctx, want);
        const release = await waitForCloudInit(line, ctx, want);
        return { release, address: want.address };
      } finally {
        line.close();
      }
    },

    update: async (_ctx, _want, have) => have,

    // It goes with the disk it is on.
    remove: async () => {},

    out: ({ release, address }) => ({ release, address }),
  });

const isStarting = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && startingCodes.has(thrown.code);

/** One connection as long as it lasts: a busy guest loses it now and then, and logging in anew costs it a lot. */
class OpenLine {
  private readonly access: LinuxAccess;
  private readonly guest: Guest;
  private last: SshConnection | undefined;

  constructor(access: LinuxAccess, guest: Guest) {
    this.access = access;
    this.guest = guest;
  }

  async connection(signal: AbortSignal): Promise<SshConnection> {
    if (!this.last?.isOpen) this.last = await this.access.open(this.guest, signal);
    return this.last;
  }

  close(): void {
    this.last?.close();
  }
}

/** What does not answer because it still starts is asked again. */
const unlessStarting = async <T>(ask: () => Promise<Seen<T>>): Promise<Seen<T>> => {
  try {
    return await ask();
  } catch (thrown) {
    if (isStarting(thrown)) return { done: false, seen: thrown.why };
    throw thrown;
  }
};

const waitForSsh = (line: OpenLine, ctx: StepContext, want: Guest): Promise<SshConnection> =>
  ctx.waitFor(
    {
      what: `${want.address}:22 to answer`,
      probe: "ssh",
      deadlineMs: bootDeadlineMs,
      usualMs: 25_000,
      everyMs: 2_000,
    },
    (signal) => unlessStarting(async () => ({ done: true, value: await line.connection(signal) })),
  );

/** Returns which system it is. */
async function waitForCloudInit(line: OpenLine, ctx: StepContext, want: Guest): Promise<string> {
  const release = await ctx.waitFor(
    {
      what: `cloud-init of ${want.node} to be done`,
      probe: "ssh",
      deadlineMs: bootDeadlineMs,
      usualMs: 10_000,
      everyMs: 2_000,
    },
    (signal) =>
      unlessStarting<string>(async () => {
        const seen = await glanceAt(await line.connection(signal), signal);
        if (!seen.complaints) return { done: false, seen: "cloud-init is at work" };
        return { done: true, value: seen.release };
      }),
  );
  const { signal } = ctx;
  const connection = await line.connection(signal);
  const { code, stdout } = await connection.run(["cloud-init", "status", "--long"], { signal });
  const noSuchProgram = 127;
  if (code === noSuchProgram) throw noCloudInit(want);
  const { status, extended = "", complaints } = readCloudInitStatus(stdout);
  if (status === "error") throw cloudInitFailed({ ...want, complaints });
  if (extended.includes("degraded") || complaints.length > 0)
    ctx.log(
      "warn",
      `cloud-init of ${want.node} is done, with complaints: ${complaints.join("; ") || extended}`,
    );
  return release;
}
