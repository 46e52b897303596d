import { bundleKept } from "./errors.ts";
import type { SecretFiles } from "./secret-files.ts";

/** A bundle of secrets in one file of a cluster: made once, found again, never overwritten. */
export interface BundleStore<T> {
  find(cluster: string): Promise<T | undefined>;
  ensure(cluster: string, create: () => Promise<T>): Promise<{ bundle: T; isNew: boolean }>;
  /** Takes over a bundle made elsewhere. False when the cluster has it already; other secrets are never replaced. */
  adopt(cluster: string, bundle: T): Promise<boolean>;
}

export interface BundleFormat<T> {
  fileName: string;
  parse(text: string, file: string): T;
  write(bundle: T): string;
}

export function bundleStore<T>(files: SecretFiles, format: BundleFormat<T>): BundleStore<T> {
  const running = new Map<string, Promise<{ bundle: T; isNew: boolean }>>();
  const { fileName } = format;

  const read = (cluster: string, text: string): T => format.parse(text, files.fileOf(cluster, fileName));

  const find = async (cluster: string): Promise<T | undefined> => {
    const text = await files.read(cluster, fileName);
    return text === undefined ? undefined : read(cluster, text);
  };

  /** What is used is what is kept: one that could not be saved never leaves this function. */
  const make = async (cluster: string, create: () => Promise<T>) => {
    const found = await find(cluster);
    if (found) return { bundle: found, isNew: false };
    const bundle = await create();
    const kept = await files.writeOnce(cluster, fileName, format.write(bundle));
    return { bundle: kept.isOurs ? bundle : read(cluster, kept.text), isNew: kept.isOurs };
  };

  return {
    find,
    async ensure(cluster, create) {
      const current = running.get(cluster) ?? make(cluster, create).finally(() => running.delete(cluster));
      running.set(cluster, current);
      return current;
    },
    async adopt(cluster, bundle) {
      const text = format.write(bundle);
      const kept = await files.writeOnce(cluster, fileName, text);
      if (kept.isOurs) return true;
      if (format.write(read(cluster, kept.text)) === text) return false;
      throw bundleKept({ cluster, file: files.fileOf(cluster, fileName) });
    },
  };
}
