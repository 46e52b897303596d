/**
 * A private key in the label Node reads. Talos writes `ED25519 PRIVATE KEY` around an ordinary PKCS#8 body,
 * which OpenSSL refuses.
 */
export const nodeKey = (pem: string): string => pem.replaceAll("ED25519 PRIVATE KEY", "PRIVATE KEY");
