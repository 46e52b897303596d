import { defineError } from "../errors/index.ts";

const another = "Choose another backup: slipway backup list";

export const notABackup = defineError("BACKUP_NOT_ONE", (f: { source: string; why: string }) => ({
  what: `Cannot read "${f.source}" as a backup`,
  why: f.why,
  next: another,
}));

export const tooNewFormat = defineError(
  "BACKUP_TOO_NEW",
  (f: { source: string; version: number; known: number }) => ({
    what: `Cannot read "${f.source}"`,
    why: `it has format ${f.version}, and this slipway knows formats up to ${f.known}`,
    next: "Use the slipway that made it, or a newer one",
  }),
);

export const olderFormat = defineError(
  "BACKUP_TOO_OLD_FORMAT",
  (f: { source: string; version: number; known: number }) => ({
    what: `Cannot read "${f.source}"`,
    why: `it has format ${f.version}, and this slipway reads format ${f.known}`,
    next: `Use the slipway that made it, or read it with tar and age: tar xf "${f.source}"`,
  }),
);

export const backupCut = defineError("BACKUP_CUT_SHORT", (f: { source: string; why: string }) => ({
  what: `Cannot use the backup "${f.source}"`,
  why: f.why,
  next: "Copy it again from where it was made, then check it: slipway backup check FILE",
  else: another,
}));

export const backupTampered = defineError("BACKUP_TAMPERED", (f: { source: string; why: string }) => ({
  what: `Cannot trust the backup "${f.source}"`,
  why: f.why,
  next: another,
}));

export const backupLocked = defineError("BACKUP_LOCKED", (f: { source: string; places: string[] }) => ({
  what: `Cannot open the backup "${f.source}"`,
  why: `no key at hand fits; keys were looked for in ${f.places.join(", ")}`,
  next: 'Name the file with your age key, then run the command again: export SLIPWAY_AGE_KEY_FILE="…"',
}));

export const snapshotUnsound = defineError(
  "BACKUP_SNAPSHOT_UNSOUND",
  (f: { source: string; why: string }) => ({
    what: `Cannot use the etcd snapshot in "${f.source}"`,
    why: f.why,
    next: another,
  }),
);

export const backupUnreadable = defineError(
  "BACKUP_UNREADABLE",
  (f: { source: string; why: string; cause?: unknown }) => ({
    what: `Cannot read the backup "${f.source}"`,
    why: f.why,
    next: "See that the file is there and may be read, then run the command again",
    cause: f.cause,
  }),
);
