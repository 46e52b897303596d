import type { FoundArchive } from "./contract/machine-backups.ts";

/** What a machine that comes from a backup goes back to, as a plan says it. */
export const archiveText = ({ archive, takenAt }: FoundArchive): string =>
  `${archive}, taken ${takenAt.slice(0, 16).replace("T", " ")} UTC: its system disk goes back to then`;
