import type { SshConnection } from "../../clients/ssh/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { defineResource, same, type Consoles, type StepContext } from "../../plan/index.ts";
import { cloudInitFailed, falseGuest, noCloudInit } from "./errors.ts";
import { askHostStatus } from "./host-status.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";
import { meetGuest, type MeetWant } from "./first-contact/meet-guest.ts";
import { isStarting, OpenLine, unlessStarting } from "./open-line.ts";

export type SystemWant = MeetWant;

interface SystemHave {
  release: string;
  address: string;
}

/** Emulated machines take minutes. */
const bootDeadlineMs = 20 * 60_000;
const quickMs = 8_000;

/** The system of one machine: it comes by itself, from the image and the seed, and is waited for. */
export const linuxSystem = (access: LinuxAccess, consoles: Consoles) =>
  defineResource<SystemWant, SystemHave>({
    kind: "linux/system",

    async read(ctx, want) {
      try {
        const seen = await access.using(want, ctx.signal, quickMs, (to) => askHostStatus(to, ctx.signal));
        if (!want.isThere && !seen.complaints) return undefined;
        return { release: seen.release, address: want.address };
      } catch (thrown) {
        if (isStarting(thrown)) return undefined;
        throw thrown;
      }
    },

    compare: () => same,

    async create(ctx, want) {
      const line = new OpenLine(access, want);
      try {
        const isFirst = !(await access.isMet(want));
        if (isFirst && want.firstContact === "console") await meetGuest(access, consoles, ctx, want);
        try {
          await waitForSsh(line, ctx, want);
        } catch (thrown) {
          const isOther = thrown instanceof SlipwayError && thrown.code === "SSH_HOST_KEY_CHANGED";
          throw isOther && isFirst && want.firstContact === "console" ? falseGuest(want, thrown) : thrown;
        }
        await access.newGuests.remove(want);
        if (isFirst && want.firstContact === "trust")
          ctx.log(
            "warn",
            `${want.node} is trusted on first contact, fingerprint ${(await access.fingerprintOf(want)) ?? ""}`,
          );
        if (want.isThere) {
          const { release } = await askHostStatus(await line.connection(ctx.signal), ctx.signal);
          return { release, address: want.address };
        }
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
        const seen = await askHostStatus(await line.connection(signal), signal);
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

/** What `cloud-init status --long` says. */
interface CloudInitStatus {
  status: string;
  /** `degraded done`; only newer ones say it. */
  extended?: string | undefined;
  detail: string;
  /** What went wrong, in its own words. */
  complaints: string[];
}

/** Older ones put what went wrong into the detail, newer ones into lists of errors. */
export function readCloudInitStatus(text: string): CloudInitStatus {
  const fields = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, name, rest = ""] = /^([a-z_]+):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name === undefined) {
      if (line.trim() !== "") lines.push(line.trim());
      continue;
    }
    lines = rest.trim() === "" ? [] : [rest.trim()];
    fields.set(name, lines);
  }
  const said = (name: string): string => (fields.get(name) ?? []).join(" ");
  const status = said("status") || "unknown";
  const listed = ["errors", "recoverable_errors"].flatMap((name) =>
    (fields.get(name) ?? []).filter((line) => line.startsWith("- ")).map((line) => line.slice(2).trim()),
  );
  const detail = said("detail");
  const extended = said("extended_status");
  return {
    status,
    extended: extended === "" ? undefined : extended,
    detail,
    complaints: listed.length > 0 || status !== "error" || detail === "" ? listed : [detail],
  };
}
