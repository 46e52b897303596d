/** Keys, certificates and kubeconfigs; clock and randomness passed in. */
export {
  createAuthority,
  issueCertificate,
  type AuthorityOptions,
  type CertificateOptions,
} from "./certificate.ts";
export { issueAdmin, writeKubeconfig, type IssueOptions, type KubeconfigFields } from "./kubeconfig.ts";
export type { Identity, KeyKind } from "./identity.ts";
export {
  createChainedAuthority,
  crossSign,
  type ChainedAuthorityOptions,
  type CrossSigningOptions,
} from "./chained-authority.ts";
export { createRsaKey, readPrivateKey, toNodeKey, toTalosKey } from "./private-key.ts";
export { readCertificateRequest, type CertificateRequest } from "./certificate-request.ts";
export { loadX509 } from "./load-x509.ts";
