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
      const connection = await waitForSsh(access, ctx, want);
      try {
        await waitForCloudInit(connection, ctx, want);
        const { release } = await glanceAt(connection, ctx.signal);
        return { release, address: want.address };
      } finally {
        connection.close();
      }
    },

    update: async (_ctx, _want, have) => have,

    // It goes with the disk it is on.
    remove: async () => {},

    out: ({ release, address }) => ({ release, address }),
  });

const isStarting = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && startingCodes.has(thrown.code);

const waitForSsh = (access: LinuxAccess, ctx: StepContext, want: Guest): Promise<SshConnection> =>
  ctx.waitFor(
    {
      what: `${want.address}:22 to answer`,
      probe: "ssh",
      deadlineMs: bootDeadlineMs,
      usualMs: 25_000,
      everyMs: 2_000,
    },
    async (signal): Promise<Seen<SshConnection>> => {
      try {
        return { done: true, value: await access.open(want, signal) };
      } catch (thrown) {
        if (isStarting(thrown)) return { done: false, seen: thrown.why };
        throw thrown;
      }
    },
  );

async function waitForCloudInit(connection: SshConnection, ctx: StepContext, want: Guest): Promise<void> {
  await ctx.waitFor(
    {
      what: `cloud-init of ${want.node} to be done`,
      probe: "ssh",
      deadlineMs: bootDeadlineMs,
      usualMs: 10_000,
      everyMs: 2_000,
    },
    async (signal): Promise<Seen<true>> => {
      const { complaints } = await glanceAt(connection, signal);
      return complaints ? { done: true, value: true } : { done: false, seen: "cloud-init is at work" };
    },
  );
  const { code, stdout } = await connection.run(["cloud-init", "status", "--long"], { signal: ctx.signal });
  const noSuchProgram = 127;
  if (code === noSuchProgram) throw noCloudInit(want);
  const { status, extended = "", complaints } = readCloudInitStatus(stdout);
  if (status === "error") throw cloudInitFailed({ ...want, complaints });
  if (extended.includes("degraded") || complaints.length > 0)
    ctx.log(
      "warn",
      `cloud-init of ${want.node} is done, with complaints: ${complaints.join("; ") || extended}`,
    );
}
