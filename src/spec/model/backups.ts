import type { Position } from "../../errors/index.ts";
import type { SecretRef, TlsTrust } from "./secret.ts";

/** Where backups of a cluster go, how long they stay there, and how old the newest may be. */
export interface Backups {
  places: BackupPlace[];
  /** A backup stays as long as one of the two wants it. Absent: all stay. */
  keep?: { newest?: number; forMs?: number };
  /** Absent: nobody asks. */
  maxAgeMs?: number;
  at: Position;
}

export type BackupPlace = { folder: string } | { s3: S3Place };

/** A bucket, or the part of it below a prefix. */
export interface S3Place {
  bucket: string;
  /** Without a slash at either end; empty: all of the bucket. */
  prefix: string;
  /** Absent: that of Amazon in the region. */
  endpoint?: string;
  region: string;
  accessKey: SecretRef;
  secretKey: SecretRef;
  tls: TlsTrust;
}
