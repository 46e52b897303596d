/** Secrets: made once, found again, never overwritten, never printed. In talosctl's own format. */
export {
  caNames,
  caStages,
  createBundle,
  createCa,
  type Bundle,
  type BundleOptions,
  type CaName,
  type CaRotation,
  type CaStage,
} from "./bundles/talos-bundle.ts";
export { acceptedBeside, advanced, isSibling, joinBundles, trusted } from "./bundles/ca-rotation.ts";
export { copiedBundle, parseBundle, writeBundle } from "./bundles/talos-bundle-file.ts";
export { bundleFromConfig } from "./bundles/talos-bundle-from-config.ts";
export { accountFile, accountStore, type AccountStore, type CloudAccount } from "./account-store.ts";
export {
  saysTheSame,
  secretFiles,
  plainFiles,
  type KeptFile,
  type SecretFiles,
} from "./files/secret-files.ts";
export { formOf, forms, nameInForm } from "./files/file-forms.ts";
export { decode as openFileText } from "./files/at-rest.ts";
export { encryptAge, type Readers } from "./age/age-file.ts";
export { openAge } from "./age/open-age.ts";
export {
  agePieceBytes,
  AgeStreamError,
  inPieces,
  openAgeStream,
  sealAge,
  sealedPieceBytes,
  type AgeSealing,
} from "./age/age-stream.ts";
export { ageKeys, keysIn, noKeys, recipientOf } from "./age/age-keys.ts";
export type { AgeKeys } from "./age/file-key.ts";
export { hideFromGit } from "./files/hide-from-git.ts";
export { filesInGit, isPlainSecret } from "./files/in-git.ts";
export { plainCopies } from "./files/plain-copies.ts";
export { rekeyFiles, type Rekeyed } from "./files/rekey.ts";
export { throwawayKeys } from "./age/throwaway-keys.ts";
export {
  createK3sBundle,
  k3sAuthorityNames,
  k3sCaStages,
  type K3sAuthorityName,
  type K3sBundle,
  type K3sBundleOptions,
  type K3sCaStage,
} from "./bundles/k3s-bundle.ts";
export { advancedK3s, servedAuthority, servedBefore, trustedAuthority } from "./bundles/k3s-ca-rotation.ts";
export { k3sBundleFromServer } from "./bundles/k3s-bundle-from-server.ts";
export { parseK3sBundle, writeK3sBundle } from "./bundles/k3s-bundle-file.ts";
export {
  k3sStore,
  secretStore,
  type K3sStore,
  type SecretStore,
  type StoreOptions,
} from "./bundles/bundle-store.ts";
export { sshKeyStore, type SshKeyStore } from "./ssh-key-store.ts";
export { resolveSecret, type SecretSources } from "./resolve-secret.ts";
export { secretsInGit } from "./errors.ts";
