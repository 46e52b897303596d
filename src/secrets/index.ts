/** Secrets: made once, found again, never overwritten, never printed. In talosctl's own format. */
export { createBundle, type Bundle, type BundleOptions } from "./bundle.ts";
export { parseBundle, writeBundle } from "./bundle-file.ts";
export { bundleFromConfig } from "./bundle-from-config.ts";
export { accountStore, type AccountStore, type CloudAccount } from "./account-store.ts";
export { secretFiles, plainFiles, type KeptFile, type SecretFiles } from "./secret-files.ts";
export { ageKeys, noKeys, type AgeKeys } from "./age-keys.ts";
export { hideFromGit } from "./hide-from-git.ts";
export { filesInGit, isPlainSecret } from "./in-git.ts";
export { plainCopies } from "./plain-copies.ts";
export { rekeyFiles, type Rekeyed } from "./rekey.ts";
export { throwawayKeys } from "./throwaway-keys.ts";
export {
  createK3sBundle,
  type K3sAuthorityName,
  type K3sBundle,
  type K3sBundleOptions,
} from "./k3s-bundle.ts";
export { parseK3sBundle, writeK3sBundle } from "./k3s-bundle-file.ts";
export { k3sStore, type K3sStore } from "./k3s-store.ts";
export { rancherStore, type RancherKeys, type RancherStore } from "./rancher-store.ts";
export { secretStore, type SecretStore, type StoreOptions } from "./store.ts";
export { sshKeyStore, type SshKeyStore } from "./ssh-key-store.ts";
export { resolveSecret, type SecretSources } from "./resolve-secret.ts";
export { secretsInGit } from "./errors.ts";
