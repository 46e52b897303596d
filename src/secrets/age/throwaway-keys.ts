import { whileTimeStands } from "../../lib/index.ts";
import type { SecretsAtRest } from "../../spec/index.ts";
import type { AgeKeys } from "./file-key.ts";

/** A key that lives as long as a rehearsal, and reads beside those whom the file names. */
export async function throwawayKeys(): Promise<{
  keys: AgeKeys;
  joining(atRest: SecretsAtRest | undefined): SecretsAtRest | undefined;
}> {
  const { generateX25519Identity, identityToRecipient } = await whileTimeStands(
    () => import("age-encryption"),
  );
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
