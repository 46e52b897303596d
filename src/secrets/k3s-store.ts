import { bundleStore, type BundleStore } from "./bundle-store.ts";
import { parseK3sBundle, writeK3sBundle } from "./k3s-bundle-file.ts";
import { createK3sBundle, type K3sBundle } from "./k3s-bundle.ts";
import { plainFiles } from "./secret-files.ts";
import type { StoreOptions } from "./store.ts";

export interface K3sStore extends Pick<BundleStore<K3sBundle>, "find" | "adopt"> {
  /** The cluster's bundle, made now if there is none. */
  ensure(cluster: string): Promise<{ bundle: K3sBundle; isNew: boolean }>;
  /** Whether its file is closed with keys; then no other copy lies beside it. */
  isEncrypted(cluster: string): boolean;
}

/** Secrets in `<folder>/<cluster>/k3s-secrets.yaml`: made once, found again, never overwritten. */
export function k3sStore(options: StoreOptions): K3sStore {
  const files = options.files ?? plainFiles(options.folder, options.random);
  const format = { fileName: "k3s-secrets.yaml", parse: parseK3sBundle, write: writeK3sBundle };
  const store = bundleStore(files, format);
  return {
    ...store,
    isEncrypted: (cluster) => files.isEncrypted(cluster),
    ensure: (cluster) => store.ensure(cluster, () => createK3sBundle(options)),
  };
}
