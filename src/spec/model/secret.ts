/** A secret is named in the file, never written there. */
export type SecretRef =
  | { env: string }
  | { file: string }
  | { command: string[] }
  /** A file encrypted with age. */
  | { age: string }
  /** One value of a file encrypted with SOPS; `key` leads to it, with dots. */
  | { sops: { file: string; key: string } };

/** How the secrets of a cluster lie on disk. */
export type SecretsAtRest =
  | { encryption: "age" | "sops"; recipients: string[] }
  | { encryption: "age"; passphrase: SecretRef };

/** How the other side of a TLS connection is trusted. */
export type TlsTrust = { fingerprint: string } | { caFile: string } | { insecure: true } | { system: true };
