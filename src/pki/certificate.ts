import { createPublicKey, generateKeyPairSync, webcrypto, type KeyObject } from "node:crypto";
import type { JsonGeneralName, Name, X509Certificate } from "@peculiar/x509";
import type { Random } from "../lib/index.ts";
import { loadX509, type X509 } from "./load-x509.ts";
import { readPrivateKey } from "./private-key.ts";

export type KeyKind = "ed25519" | "p256";

/** A certificate and its private key, both PEM. What is made here has its key as PKCS#8, which Node's TLS reads. */
export interface Identity {
  cert: string;
  key: string;
}

export interface AuthorityOptions {
  kind: KeyKind;
  /** Left out: the subject is empty, as for the Kubernetes aggregator. */
  organization?: string;
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
  const key = newKey(options.kind);
  const keys = await cryptoKeys(key);
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
  return { cert: certPem(cert), key: keyPem(key) };
}

/** A leaf certificate with a new key of the authority's own kind. */
export async function issueCertificate(options: CertificateOptions): Promise<Identity> {
  const x509 = await loadX509();
  const authorityKey = readPrivateKey(options.authority.key);
  const kind: KeyKind = authorityKey.asymmetricKeyType === "ed25519" ? "ed25519" : "p256";
  const issuer = new x509.X509Certificate(options.authority.cert);
  const key = newKey(kind);
  const { publicKey } = await cryptoKeys(key);
  const { privateKey: signingKey } = await cryptoKeys(authorityKey);
  const authorityId = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  const alternatives: JsonGeneralName[] = [
    ...(options.names ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(options.addresses ?? []).map((value) => ({ type: "ip" as const, value })),
  ];
  const usage =
    x509.KeyUsageFlags.digitalSignature |
    (options.isKeyEncipherment ? x509.KeyUsageFlags.keyEncipherment : 0);
  const cert = await x509.X509CertificateGenerator.create({
    subject: subject(x509, options.commonName, options.organizations ?? []),
    issuer: issuer.subjectName,
    serialNumber: serialNumber(options.random),
    ...validity(options),
    publicKey,
    signingKey,
    signingAlgorithm: signing(kind),
    extensions: [
      new x509.KeyUsagesExtension(usage, true),
      new x509.ExtendedKeyUsageExtension(options.usages.map((name) => x509.ExtendedKeyUsage[`${name}Auth`])),
      ...(authorityId === undefined ? [] : [new x509.AuthorityKeyIdentifierExtension(authorityId)]),
      ...(alternatives.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternatives)]),
    ],
  });
  return { cert: certPem(cert), key: keyPem(key) };
}

const newKey = (kind: KeyKind): KeyObject =>
  kind === "ed25519"
    ? generateKeyPairSync("ed25519").privateKey
    : generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

async function cryptoKeys(key: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const algorithm =
    key.asymmetricKeyType === "ed25519" ? { name: "Ed25519" } : { name: "ECDSA", namedCurve: "P-256" };
  const publicDer = createPublicKey(key).export({ type: "spki", format: "der" });
  const privateDer = key.export({ type: "pkcs8", format: "der" });
  return {
    privateKey: await webcrypto.subtle.importKey("pkcs8", privateDer, algorithm, true, ["sign"]),
    publicKey: await webcrypto.subtle.importKey("spki", publicDer, algorithm, true, ["verify"]),
  };
}

const signing = (kind: KeyKind) =>
  kind === "ed25519" ? { name: "Ed25519" } : { name: "ECDSA", hash: "SHA-256" };

/** X.509 knows seconds only. */
const validity = (from: { notBefore: number; lifetimeMs: number }) => {
  const start = Math.floor(from.notBefore / 1000) * 1000;
  return { notBefore: new Date(start), notAfter: new Date(start + from.lifetimeMs) };
};

/** 128 random bits, positive. */
function serialNumber(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return bytes.toString("hex");
}

const subject = (x509: X509, commonName: string | undefined, organizations: string[]): Name =>
  new x509.Name([
    ...organizations.map((value) => ({ O: [{ printableString: value }] })),
    ...(commonName === undefined ? [] : [{ CN: [{ printableString: commonName }] }]),
  ]);

const certPem = (cert: X509Certificate): string => `${cert.toString("pem").trim()}\n`;
const keyPem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
