import { webcrypto } from "node:crypto";
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

const algorithms = { ed25519: { name: "Ed25519" }, p256: { name: "ECDSA", namedCurve: "P-256" } } as const;

export const newKeys = (kind: KeyKind): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithms[kind], true, [
    "sign",
    "verify",
  ]) as Promise<webcrypto.CryptoKeyPair>;

/** What is needed of an authority to sign with it. */
interface Signer {
  kind: KeyKind;
  name: Name;
  keyId: string | undefined;
  signingKey: webcrypto.CryptoKey;
}

const signers = new Map<string, Promise<Signer>>();
const mostSigners = 32;

/** Reading an authority costs more than signing with it, and one authority signs many certificates. */
export function knownSigner(x509: X509, authority: Identity): Promise<Signer> {
  const known = signers.get(authority.key) ?? readSigner(x509, authority);
  if (signers.size >= mostSigners) signers.clear();
  signers.set(authority.key, known);
  return known;
}

async function readSigner(x509: X509, authority: Identity): Promise<Signer> {
  const key = readPrivateKey(authority.key);
  const kind: KeyKind = key.asymmetricKeyType === "ed25519" ? "ed25519" : "p256";
  const issuer = new x509.X509Certificate(authority.cert);
  const der = key.export({ type: "pkcs8", format: "der" });
  return {
    kind,
    name: issuer.subjectName,
    keyId: issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId,
    signingKey: await webcrypto.subtle.importKey("pkcs8", der, algorithms[kind], false, ["sign"]),
  };
}

export const signing = (kind: KeyKind) =>
  kind === "ed25519" ? { name: "Ed25519" } : { name: "ECDSA", hash: "SHA-256" };

/** X.509 knows seconds only. */
export const validity = (from: { notBefore: number; lifetimeMs: number }) => {
  const start = Math.floor(from.notBefore / 1000) * 1000;
  return { notBefore: new Date(start), notAfter: new Date(start + from.lifetimeMs) };
};

/** 128 random bits, positive. */
export function serialNumber(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return bytes.toString("hex");
}

/** Go refuses a whole certificate over one letter that a PrintableString may not have, such as `@`. */
const nameText = (value: string) =>
  /^[\w '()+,\-./:=?]*$/.test(value) && !value.includes("_")
    ? { printableString: value }
    : { utf8String: value };

export const subject = (x509: X509, commonName: string | undefined, organizations: string[]): Name =>
  new x509.Name([
    ...organizations.map((value) => ({ O: [nameText(value)] })),
    ...(commonName === undefined ? [] : [{ CN: [nameText(commonName)] }]),
  ]);

export const certPem = (cert: X509Certificate): string => `${cert.toString("pem").trim()}\n`;

export async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
