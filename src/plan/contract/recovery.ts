/** A cluster whose database is lost and comes from a backup. Plain data: it stands in plans. */
export interface Recovery {
  /** By which one backup is told from another. */
  backup: string;
  /** When it was taken, as ISO 8601. */
  takenAt: string;
  /** Of the snapshot of etcd in it. */
  bytes: number;
  sha256: string;
  /** Control planes that still hold a part of the lost database: it goes there before the one of the backup comes. */
  holding: string[];
}

/** The database of a backup, for those who carry a plan out. */
export interface RecoverySource {
  /** The snapshot of etcd from its first byte, proven by its checksum when it ends. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Called right before the one call that brings it back: what answers from then on is the restored cluster. */
  begin(): Promise<void>;
  /** Whether that has been called, in this run or one before it. */
  hasBegun(): Promise<boolean>;
}
