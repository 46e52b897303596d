import type { Clock, Random } from "../lib/index.ts";
import { parseBundle, writeBundle } from "./bundle-file.ts";
import { createBundle, type Bundle } from "./bundle.ts";
import { bundleKept } from "./errors.ts";
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

const fileName = "secrets.yaml";

/** Secrets in `<folder>/<cluster>/secrets.yaml`: made once, found again, never overwritten. */
export function secretStore(options: StoreOptions): SecretStore {
  const running = new Map<string, Promise<{ bundle: Bundle; isNew: boolean }>>();
  const files = options.files ?? plainFiles(options.folder, options.random);

  const find = async (cluster: string): Promise<Bundle | undefined> => {
    const text = await files.read(cluster, fileName);
    return text === undefined ? undefined : parseBundle(text, files.fileOf(cluster, fileName));
  };

  const keep = (cluster: string, text: string): Promise<boolean> => files.writeOnce(cluster, fileName, text);

  const make = async (cluster: string, contract: string | undefined) => {
    const found = await find(cluster);
    if (found) return { bundle: found, isNew: false };
    const bundle = await createBundle({ ...options, ...(contract !== undefined && { contract }) });
    const isNew = await keep(cluster, writeBundle(bundle));
    if (isNew) return { bundle, isNew };
    // Another process was faster; its secrets are the cluster's.
    return { bundle: (await find(cluster)) ?? bundle, isNew };
  };

  const adopt = async (cluster: string, bundle: Bundle): Promise<boolean> => {
    const text = writeBundle(bundle);
    const found = await find(cluster);
    if (!found && (await keep(cluster, text))) return true;
    const kept = found ?? (await find(cluster));
    if (kept && writeBundle(kept) === text) return false;
    throw bundleKept({ cluster, file: files.fileOf(cluster, fileName) });
  };

  return {
    find,
    adopt,
    isEncrypted: (cluster) => files.isEncrypted(cluster),
    async ensure(cluster, contract) {
      const current = running.get(cluster) ?? make(cluster, contract).finally(() => running.delete(cluster));
      running.set(cluster, current);
      return current;
    },
  };
}
