import type { Clock, Random } from "../lib/index.ts";
import { parseBundle, writeBundle } from "./bundle-file.ts";
import { bundleStore } from "./bundle-store.ts";
import { createBundle, type Bundle } from "./bundle.ts";
import { plainFiles, type SecretFiles } from "./secret-files.ts";

export interface SecretStore {
  find(cluster: string): Promise<Bundle | undefined>;
  /** The cluster's bundle, made now if there is none. `contract` is the Talos major.minor it is made for. */
  ensure(cluster: string, contract?: string): Promise<{ bundle: Bundle; isNew: boolean }>;
  /** Whether its file is closed with keys; then no other copy lies beside it. */
  isEncrypted(cluster: string): boolean;
  /** Takes over a bundle made elsewhere. False when the cluster has it already; other secrets are never replaced. */
  adopt(cluster: string, bundle: Bundle): Promise<boolean>;
}

export interface StoreOptions {
  /** Usually `.slipway` beside the cluster file. */
  folder: string;
  /** How files lie there; plain ones when left out. */
  files?: SecretFiles;
  clock: Pick<Clock, "now">;
  random: Random;
  rsaBits?: number;
}

/** Secrets in `<folder>/<cluster>/secrets.yaml`: made once, found again, never overwritten. */
export function secretStore(options: StoreOptions): SecretStore {
  const files = options.files ?? plainFiles(options.folder, options.random);
  const store = bundleStore(files, { fileName: "secrets.yaml", parse: parseBundle, write: writeBundle });
  return {
    ...store,
    isEncrypted: (cluster) => files.isEncrypted(cluster),
    ensure: (cluster, contract) =>
      store.ensure(cluster, () => createBundle({ ...options, ...(contract !== undefined && { contract }) })),
  };
}
