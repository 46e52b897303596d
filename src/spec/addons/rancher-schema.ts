import { z } from "zod";
import { wholeNumber, yesOrNo } from "../field.ts";
import { given } from "../given.ts";
import { secret, secretRef } from "../host-schema.ts";
import { domain } from "../link-fields.ts";
import { oneKeyOf } from "../one-key-of.ts";
import { chartFieldsOfAddon } from "./common-fields.ts";
import type { RancherOptions, RancherTls } from "./model.ts";

const place = (description: string, example: string) =>
  secret.meta({ description, examples: [{ file: example }] });

const files = z
  .strictObject({
    certificate: place("The certificate and what leads to its authority, as PEM.", "./rancher.crt"),
    key: place("Its private key.", "./rancher.key"),
    ca: place("The authority, where it is none that every system trusts.", "./ca.crt").optional(),
  })
  .meta({
    id: "rancherFiles",
    description: "A certificate of your own.",
    examples: [{ certificate: { file: "./rancher.crt" }, key: { file: "./rancher.key" } }],
  });

const tls = oneKeyOf(
  z.strictObject({
    slipway: yesOrNo({
      description: "An authority that Slipway makes for it and keeps with the cluster's secrets.",
    }).optional(),
    certManager: yesOrNo({ description: "cert-manager makes it; the add-on comes along." }).optional(),
    files: files.optional(),
  }),
  "slipway: true, certManager: true or files",
).meta({
  id: "rancherTls",
  description: "Who vouches for its certificate. Left out: Slipway.",
  examples: [{ certManager: true }],
});

export const rancherSchema = z
  .strictObject({
    hostname: domain(
      {
        description:
          "The name people and other clusters reach it under; it must lead to the cluster's ingress.",
        examples: ["rancher.example.org"],
      },
      "rancher.example.org",
    ),
    password: secret
      .meta({
        description:
          "Of its first administrator, at least 12 characters. Left out: made once and kept with the cluster's secrets.",
        examples: [{ env: "RANCHER_PASSWORD" }],
      })
      .optional(),
    tls: tls.optional(),
    replicas: wholeNumber(
      { description: "How many run. Left out: one for each node, at most 3.", examples: [3] },
      1,
      9,
    ).optional(),
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-rancher",
    description: "Rancher, which other clusters register with.",
    examples: [{ hostname: "rancher.example.org", password: { env: "RANCHER_PASSWORD" } }],
  });

export const completeRancher = (written: z.output<typeof rancherSchema>, nodes: number): RancherOptions => ({
  hostname: written.hostname,
  ...given({ password: written.password && secretRef(written.password) }),
  tls: tlsOf(written.tls),
  replicas: written.replicas ?? Math.max(1, Math.min(3, nodes)),
});

function tlsOf(written: z.output<typeof tls> | undefined): RancherTls {
  if (written?.certManager === true) return { by: "cert-manager" };
  if (!written?.files) return { by: "slipway" };
  const { certificate, key, ca } = written.files;
  return {
    by: "files",
    certificate: secretRef(certificate),
    key: secretRef(key),
    ...given({ ca: ca && secretRef(ca) }),
  };
}
