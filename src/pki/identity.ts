export type KeyKind = "ed25519" | "p256";

/** A certificate and its private key, both PEM. What is made here has its key as PKCS#8, which Node's TLS reads. */
export interface Identity {
  cert: string;
  key: string;
}
