/** Keys and certificates; clock and randomness passed in. */
export {
  createAuthority,
  issueCertificate,
  type AuthorityOptions,
  type CertificateOptions,
} from "./certificate.ts";
export type { Identity, KeyKind } from "./identity.ts";
export { createChainedAuthority, type ChainedAuthorityOptions } from "./chained-authority.ts";
export { createRsaKey, readPrivateKey, toNodeKey, toTalosKey } from "./private-key.ts";
export { readCertificateRequest, type CertificateRequest } from "./certificate-request.ts";
