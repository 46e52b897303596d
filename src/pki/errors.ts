import { defineError } from "../errors/index.ts";

export const unreadableKey = defineError(
  "PKI_KEY_UNREADABLE",
  (label: string | undefined, cause?: unknown) => ({
    what: "Cannot read a private key",
    why:
      label === undefined
        ? "the text holds no PEM block"
        : `the PEM block "${label}" does not hold a private key in a known form`,
    next: 'Give a PEM key labelled "RSA PRIVATE KEY", "EC PRIVATE KEY", "ED25519 PRIVATE KEY" or "PRIVATE KEY"',
    cause,
  }),
  [undefined],
);
