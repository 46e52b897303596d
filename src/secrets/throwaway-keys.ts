import type { SecretsAtRest } from "../spec/index.ts";
import type { AgeKeys } from "./age-keys.ts";

/** A key that lives as long as a rehearsal, and reads beside those whom the file names. */
export async function throwawayKeys(): Promise<{
  keys: AgeKeys;
  joining(atRest: SecretsAtRest | undefined): SecretsAtRest | undefined;
}> {
  const { generateX25519Identity, identityToRecipient } = await import("age-encryption");
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  return {
    keys: {
      places: ["the key of this rehearsal"],
      async *identities() {
        yield identity;
      },
    },
    joining: (atRest) =>
      atRest && "recipients" in atRest
        ? { ...atRest, recipients: [...atRest.recipients, recipient] }
        : atRest,
  };
}
