import type { JsonGeneralName } from "@peculiar/x509";
import type { Random } from "../lib/index.ts";
import type { Identity, KeyKind } from "./identity.ts";
import { loadX509 } from "./load-x509.ts";
import {
  certPem,
  keyPem,
  knownSigner,
  newKeys,
  serialNumber,
  signing,
  subject,
  validity,
} from "./signing.ts";

export interface AuthorityOptions {
  kind: KeyKind;
  /** Left out: the subject is empty, as for the Kubernetes aggregator. */
  organization?: string | undefined;
  notBefore: number;
  lifetimeMs: number;
  random: Random;
}

export interface CertificateOptions {
  authority: Identity;
  commonName?: string;
  organizations?: string[];
  usages: ("server" | "client")[];
  /** Adds keyEncipherment to digitalSignature, as Kubernetes certificates have it. */
  isKeyEncipherment?: boolean;
  addresses?: string[];
  names?: string[];
  notBefore: number;
  lifetimeMs: number;
  random: Random;
}

/** A self-signed authority with the extensions Talos gives its own, in their order. */
export async function createAuthority(options: AuthorityOptions): Promise<Identity> {
  const x509 = await loadX509();
  const keys = await newKeys(options.kind);
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: subject(x509, undefined, options.organization === undefined ? [] : [options.organization]),
    serialNumber: serialNumber(options.random),
    ...validity(options),
    signingAlgorithm: signing(options.kind),
    keys,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectKeyIdentifierExtension(options.random.bytes(20).toString("hex")),
    ],
  });
  return { cert: certPem(cert), key: await keyPem(keys) };
}

/** A leaf certificate with a new key of the authority's own kind. */
export async function issueCertificate(options: CertificateOptions): Promise<Identity> {
  const x509 = await loadX509();
  const { kind, name: issuer, keyId, signingKey } = await knownSigner(x509, options.authority);
  const keys = await newKeys(kind);
  const alternatives: JsonGeneralName[] = [
    ...(options.names ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(options.addresses ?? []).map((value) => ({ type: "ip" as const, value })),
  ];
  const usage =
    x509.KeyUsageFlags.digitalSignature |
    (options.isKeyEncipherment ? x509.KeyUsageFlags.keyEncipherment : 0);
  const cert = await x509.X509CertificateGenerator.create({
    subject: subject(x509, options.commonName, options.organizations ?? []),
    issuer,
    serialNumber: serialNumber(options.random),
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: signing(kind),
    extensions: [
      new x509.KeyUsagesExtension(usage, true),
      new x509.ExtendedKeyUsageExtension(options.usages.map((name) => x509.ExtendedKeyUsage[`${name}Auth`])),
      ...(keyId === undefined ? [] : [new x509.AuthorityKeyIdentifierExtension(keyId)]),
      ...(alternatives.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternatives)]),
    ],
  });
  return { cert: certPem(cert), key: await keyPem(keys) };
}
