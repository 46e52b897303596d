/** Backups: what an archive looks like, how it is written and proven. Bytes in, bytes out; where they lie is for others. */
export { type BackupContents, type BackupFacts, type BackupMember } from "./contents.ts";
export { ArchiveFile } from "./archive-file.ts";
export { filePart } from "./file-part.ts";
export { packBackup, partOf, type BackupInput, type BackupPart, type DatabasePart } from "./pack-backup.ts";
export {
  fileSource,
  openBackup,
  readContents,
  type BackupSource,
  type OpenedBackup,
  type OpenedMember,
} from "./open-backup.ts";
export { provenSnapshot } from "./snapshot-proof.ts";
