import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";

/** Who works on a cluster, in words for others and in data for the next run. */
export interface Holder {
  cluster: string;
  command: string;
  /** `alice on laptop`. */
  by: string;
  /** The same for every run of one folder on one machine, until it is started again. */
  identity: string;
  run: string;
  since: string;
  renewed: string;
}

/**
 * Two runners in a cloud may share host name and path, so the boot and the folder itself count too. A run that was
 * killed is known by this as our own: in one folder the lock file already lets only one run at a time.
 */
export async function whoWeAre(folder: string): Promise<{ by: string; identity: string }> {
  const boot = await fs.readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const place = await fs.realpath(folder).catch(() => folder);
  const { dev, ino } = await fs.stat(folder).catch(() => ({ dev: 0, ino: 0 }));
  const facts = [os.hostname(), boot, place, dev, ino].join("\n");
  return {
    by: `${userName()} on ${os.hostname()}`,
    identity: createHash("sha256").update(facts).digest("hex").slice(0, 16),
  };
}

/** A user without a name is common in containers. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return "unknown";
  }
}

/** A line for people who look at the hypervisor, and one for us. */
export const noteText = (holder: Holder): string =>
  [
    `"slipway ${holder.command}" of ${holder.by} works on ${holder.cluster} since ${holder.since}. This goes when it ends.`,
    JSON.stringify(holder),
  ].join("\n");

export function readHolder(text: string): Holder | undefined {
  try {
    const found = JSON.parse(text.trim().split("\n").at(-1) ?? "") as Partial<Holder>;
    const { cluster, command, by, identity, run, since, renewed } = found;
    const parts = { cluster, command, by, identity, run, since, renewed };
    return Object.values(parts).every((part) => typeof part === "string") ? (parts as Holder) : undefined;
  } catch {
    return undefined;
  }
}
