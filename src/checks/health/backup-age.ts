import { failed, type Check } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { newestTooOld, noBackupYet } from "./errors.ts";

export interface BackupAgeFacts {
  cluster: Cluster;
  /** When the newest backup was taken; undefined when there is none. */
  newest(signal: AbortSignal): Promise<number | undefined>;
}

/** The newest backup is as young as the file wants it. */
export const backupAge = ({ cluster, newest }: BackupAgeFacts, maxAgeMs: number): Check => ({
  id: "backup-age",
  title: "Newest backup is young enough",
  failing: "Newest backup is too old",
  async run({ clock, signal }) {
    const { name, at } = cluster;
    const needed = `at most ${ageText(maxAgeMs)} old`;
    const takenAt = await newest(signal);
    if (takenAt === undefined) return failed(noBackupYet({ cluster: name, at }), { needed, found: "none" });
    const ageMs = clock.now() - takenAt;
    const found = `${ageText(ageMs)} old`;
    if (ageMs <= maxAgeMs) return { status: "ok", needed, found };
    const facts = { cluster: name, age: ageText(ageMs), most: ageText(maxAgeMs), at };
    return failed(newestTooOld(facts), { needed, found });
  },
});

const hourMs = 3_600_000;

/** `40 min`, `26 h`, `12 d`. */
export function ageText(ms: number): string {
  if (ms < hourMs) return `${Math.max(0, Math.round(ms / 60_000))} min`;
  return ms < 72 * hourMs ? `${Math.floor(ms / hourMs)} h` : `${Math.floor(ms / 24 / hourMs)} d`;
}
