import { z } from "zod";
import {
  type AddonSurroundings,
  chartFieldsOfAddon,
  domain,
  given,
  lazy,
  oneKeyOf,
  secret,
  secretRef,
  type SecretRef,
  wholeNumber,
  yesOrNo,
} from "../../spec/index.ts";

export interface RancherOptions {
  /** The name people and other clusters reach it under. */
  hostname: string;
  /** Of the first administrator; absent: made once and kept with the cluster's secrets. */
  password?: SecretRef;
  tls: RancherTls;
  replicas: number;
}

/** Who vouches for its certificate: an authority of Slipway's own, cert-manager, or files of the user. */
export type RancherTls =
  | { by: "slipway" }
  | { by: "cert-manager" }
  | { by: "files"; certificate: SecretRef; key: SecretRef; ca?: SecretRef };

const place = (description: string, example: string) =>
  secret.meta({ description, examples: [{ file: example }] });

const files = lazy(() =>
  z
    .strictObject({
      certificate: place("The certificate and what leads to its authority, as PEM.", "./rancher.crt"),
      key: place("Its private key.", "./rancher.key"),
      ca: place("The authority, where it is none that every system trusts.", "./ca.crt").optional(),
    })
    .register(z.globalRegistry, {
      id: "rancherFiles",
      description: "A certificate of your own.",
      examples: [{ certificate: { file: "./rancher.crt" }, key: { file: "./rancher.key" } }],
    }),
);

const tls = lazy(() =>
  oneKeyOf(
    z.strictObject({
      slipway: yesOrNo({
        description: "An authority that Slipway makes for it and keeps with the cluster's secrets.",
      }).optional(),
      certManager: yesOrNo({ description: "cert-manager makes it; the add-on comes along." }).optional(),
      files: files.optional(),
    }),
    "slipway: true, certManager: true or files",
  ).register(z.globalRegistry, {
    id: "rancherTls",
    description: "Who vouches for its certificate. Left out: Slipway.",
    examples: [{ certManager: true }],
  }),
);

export const rancherSchema = lazy(() =>
  z
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
    .register(z.globalRegistry, {
      id: "addon-rancher",
      description: "Rancher, which other clusters register with.",
      examples: [{ hostname: "rancher.example.org", password: { env: "RANCHER_PASSWORD" } }],
    }),
);

export type WrittenRancher = z.output<typeof rancherSchema>;

export const completeRancher = (written: WrittenRancher, { nodes }: AddonSurroundings): RancherOptions => ({
  hostname: written.hostname,
  ...given({ password: written.password && secretRef(written.password) }),
  tls: tlsOf(written.tls),
  replicas: written.replicas ?? Math.max(1, Math.min(3, nodes.length)),
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
