import { bundleChanged, bundleKept } from "../errors.ts";
import { type SecretFiles, plainFiles } from "../files/secret-files.ts";
import type { Clock, Random } from "../../lib/index.ts";
import { parseBundle, writeBundle } from "./talos-bundle-file.ts";
import { createBundle, type Bundle } from "./talos-bundle.ts";
import { parseK3sBundle, writeK3sBundle } from "./k3s-bundle-file.ts";
import { createK3sBundle, type K3sBundle } from "./k3s-bundle.ts";

/** A bundle of secrets in one file of a cluster: made once, found again, never overwritten. */
interface BundleStore<T> {
  find(cluster: string): Promise<T | undefined>;
  ensure(cluster: string, create: () => Promise<T>): Promise<{ bundle: T; isNew: boolean }>;
  /** Takes over a bundle made elsewhere. False when the cluster has it already; other secrets are never replaced. */
  adopt(cluster: string, bundle: T): Promise<boolean>;
  /** Puts a bundle in the place of the one it was made from; where that lies there no more, nothing is written. */
  replace(cluster: string, before: T, bundle: T): Promise<void>;
}

interface BundleFormat<T> {
  fileName: string;
  parse(text: string, file: string): T;
  write(bundle: T): string;
}

function bundleStore<T>(files: SecretFiles, format: BundleFormat<T>): BundleStore<T> {
  const running = new Map<string, Promise<{ bundle: T; isNew: boolean }>>();
  const { fileName } = format;

  /** To parse is to try every key against its certificate, and each step asks: a text that was parsed is not parsed again. */
  const parsed = new Map<string, { text: string; bundle: T }>();
  const read = (cluster: string, text: string): T => {
    const last = parsed.get(cluster);
    if (last?.text === text) return last.bundle;
    const bundle = format.parse(text, files.fileOf(cluster, fileName));
    parsed.set(cluster, { text, bundle });
    return bundle;
  };

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
    async replace(cluster, before, bundle) {
      const found = await find(cluster);
      if (!found || format.write(found) !== format.write(before))
        throw bundleChanged({ cluster, file: files.fileOf(cluster, fileName) });
      await files.replace(cluster, fileName, format.write(bundle));
    },
  };
}

export interface SecretStore {
  find(cluster: string): Promise<Bundle | undefined>;
  /** The cluster's bundle, made now if there is none. `contract` is the Talos major.minor it is made for. */
  ensure(cluster: string, contract?: string): Promise<{ bundle: Bundle; isNew: boolean }>;
  /** Whether its file is closed with keys; then no other copy lies beside it. */
  isEncrypted(cluster: string): boolean;
  fileOf(cluster: string): string;
  /** Takes over a bundle made elsewhere. False when the cluster has it already; other secrets are never replaced. */
  adopt(cluster: string, bundle: Bundle): Promise<boolean>;
  /** Puts a bundle in the place of the one it was made from; where that lies there no more, nothing is written. */
  replace(cluster: string, before: Bundle, bundle: Bundle): Promise<void>;
}

export interface StoreOptions {
  /** Usually `.slipway` beside the cluster file. */
  folder: string;
  /** How files lie there; plain ones when left out. */
  files?: SecretFiles;
  clock: Pick<Clock, "now">;
  random: Random;
  rsaBits?: number | undefined;
}

/** Secrets in `<folder>/<cluster>/secrets.yaml`: made once, found again, never overwritten. */
export function secretStore(options: StoreOptions): SecretStore {
  const files = options.files ?? plainFiles(options.folder, options.random);
  const store = bundleStore(files, { fileName: "secrets.yaml", parse: parseBundle, write: writeBundle });
  return {
    ...store,
    isEncrypted: (cluster) => files.isEncrypted(cluster),
    fileOf: (cluster) => files.fileOf(cluster, "secrets.yaml"),
    ensure: (cluster, contract) => store.ensure(cluster, () => createBundle({ ...options, contract })),
  };
}

export interface K3sStore extends Pick<BundleStore<K3sBundle>, "find" | "adopt" | "replace"> {
  /** The cluster's bundle, made now if there is none. */
  ensure(cluster: string): Promise<{ bundle: K3sBundle; isNew: boolean }>;
  /** Whether its file is closed with keys; then no other copy lies beside it. */
  isEncrypted(cluster: string): boolean;
  fileOf(cluster: string): string;
}

/** Secrets in `<folder>/<cluster>/k3s-secrets.yaml`: made once, found again, never overwritten. */
export function k3sStore(options: StoreOptions): K3sStore {
  const files = options.files ?? plainFiles(options.folder, options.random);
  const format = { fileName: "k3s-secrets.yaml", parse: parseK3sBundle, write: writeK3sBundle };
  const store = bundleStore(files, format);
  return {
    ...store,
    isEncrypted: (cluster) => files.isEncrypted(cluster),
    fileOf: (cluster) => files.fileOf(cluster, format.fileName),
    ensure: (cluster) => store.ensure(cluster, () => createK3sBundle(options)),
  };
}
