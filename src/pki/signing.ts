import type { webcrypto } from "node:crypto";
import type { Name, X509Certificate } from "@peculiar/x509";
import { subtle, type Random } from "../lib/index.ts";
import type { Identity, KeyKind } from "./identity.ts";
import type { X509 } from "./load-x509.ts";
import { readPrivateKey } from "./private-key.ts";

const algorithms = { ed25519: { name: "Ed25519" }, p256: { name: "ECDSA", namedCurve: "P-256" } } as const;

export const newKeys = (kind: KeyKind): Promise<webcrypto.CryptoKeyPair> =>
  subtle.generateKey(algorithms[kind], true, ["sign", "verify"]) as Promise<webcrypto.CryptoKeyPair>;

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
    signingKey: await subtle.importKey("pkcs8", der, algorithms[kind], false, ["sign"]),
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
  const der = Buffer.from(await subtle.exportKey("pkcs8", keys.privateKey));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
