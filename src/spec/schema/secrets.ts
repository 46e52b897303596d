import { z } from "zod";
import { ageRecipient } from "./fields/age-recipient.ts";
import { refuse } from "./fields/field.ts";
import { secret, secretRef } from "./host.ts";
import type { SecretsAtRest } from "../model/secret.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { oneOf } from "./fields/one-of.ts";

export const encryptions = ["age", "sops"] as const;

const fields = z.strictObject({
  encryption: oneOf(
    {
      description:
        "`age`: each file as a whole, as the `age` program does. `sops`: value by value, so that the `sops` program, Flux and KSOPS read and edit them.",
    },
    encryptions,
  ),
  recipients: z
    .array(
      ageRecipient({
        description: "The public half of an age key, or an SSH key of type ed25519.",
        examples: ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"],
      }),
    )
    .min(1)
    .optional()
    .register(z.globalRegistry, {
      description: "Whose keys open them.",
      examples: [["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]],
    }),
  passphrase: secret.optional().register(z.globalRegistry, {
    description: "Instead of keys, with `age` only: where the passphrase is found.",
  }),
});

export const secretsSchema = oneKeyOf(fields, "recipients or passphrase", ["encryption"])
  .superRefine((written, context) => {
    if (written.encryption !== "sops" || !written.passphrase) return;
    const { fault } = refuse(
      "SPEC_PASSPHRASE_NOT_SOPS",
      "SOPS encrypts to keys, not to a passphrase",
      "Write recipients instead of passphrase, or encryption: age",
    );
    context.addIssue({ code: "custom", input: written, params: { fault }, path: ["passphrase"] });
  })
  .register(z.globalRegistry, {
    id: "secrets",
    description:
      "How the secrets in `.slipway` lie on disk. Left out: plain, readable by you alone, kept out of git.",
    examples: [
      {
        encryption: "sops",
        recipients: ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"],
      },
    ],
  });

export function secretsAtRest(
  written: z.output<typeof secretsSchema> | undefined,
): SecretsAtRest | undefined {
  if (!written) return undefined;
  const { encryption, recipients, passphrase } = written;
  if (passphrase) return { encryption: "age", passphrase: secretRef(passphrase) };
  return { encryption, recipients: [...new Set(recipients ?? [])] };
}
