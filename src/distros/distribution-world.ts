import type { KubeClient } from "../clients/kube/index.ts";
import type { CallTrace, Clock, Dial, Random, Redaction } from "../lib/index.ts";
import type { RollingGates, Consoles, RecoverySource } from "../plan/index.ts";
import type { OpenOwnSsh } from "./linux-hosts/index.ts";
import type { SecretFiles, SshKeyStore } from "../secrets/index.ts";
import type { SecretRef } from "../spec/index.ts";

/** What distributions need of the outside. */
export interface DistributionWorld {
  /** Goes as the clocks of nodes go; a rehearsal's is fast. */
  clock: Clock;
  /** Dates certificates. */
  wall: Pick<Clock, "now">;
  random: Random;
  /** Where calls are traced. */
  calls: CallTrace;
  /** Secrets that must not be told. */
  redaction: Redaction;
  /** The way to the nodes of a cluster. */
  dialFor(cluster: string): Dial;
  /** What a node has been given that is dialled by name; other addresses stay as they are. Throws while it has none. */
  addressOf(host: string): Promise<string>;
  /** Logs in on a machine that somebody has set up, as its owner does. */
  openOwnSsh: OpenOwnSsh;
  /** Where new nodes print who they are. */
  consoles: Consoles;
  /** What is asked before a node restarts and after it is back. */
  gates: RollingGates;
  /** `.slipway`. */
  folder: string;
  /** The secrets in it. */
  secretFiles: SecretFiles;
  /** With which one logs in by SSH, and by which machines are known. */
  keys: SshKeyStore;
  /** Secrets are thrown away, so they take small keys, which are made at once. */
  isRehearsal: boolean;
  /** Where files fetched once are kept for all clusters. */
  cacheFolder: string;
  /** Streams what is behind an address into a file, which is there whole or not at all. */
  fetchFile(url: string, into: string, onProgress?: (bytes: number, total?: number) => void): Promise<void>;
  /** Fetches what the cluster file only refers to. */
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  /** The database of the backup that a cluster is restored from; throws where none is. */
  recoverySource(cluster: string): RecoverySource;
  connectKube(kubeconfig: string, cluster: string): KubeClient;
}
