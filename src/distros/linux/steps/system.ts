import type { SshConnection } from "../../../clients/ssh/index.ts";
import { defineResource, same, type StepContext } from "../../../plan/index.ts";
import { readCloudInitStatus } from "../cloud-init-status.ts";
import { cloudInitFailed, noCloudInit } from "./errors.ts";
import { glanceAt } from "./glance.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";
import { isStarting, OpenLine, unlessStarting } from "./open-line.ts";

interface SystemHave {
  release: string;
  address: string;
}

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
        const known = await access.fingerprintOf(want);
        await waitForSsh(line, ctx, want);
        if (want.isTrustedAtFirstContact && known === undefined)
          ctx.log(
            "warn",
            `${want.node} is trusted on first contact, fingerprint ${(await access.fingerprintOf(want)) ?? ""}`,
          );
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
