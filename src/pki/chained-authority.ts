import type { Extension } from "@peculiar/x509";
import type { Random } from "../lib/index.ts";
import type { Identity } from "./identity.ts";
import { loadX509, type X509 } from "./load-x509.ts";
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

export interface ChainedAuthorityOptions {
  commonName: string;
  /** Who vouches for it; absent: it is a root. */
  issuer?: Identity | undefined;
  notBefore: number;
  lifetimeMs: number;
  random: Random;
}

/**
 * An authority on P-256 that may stand below another one. Key identifiers lead from each to the next: programs that are
 * given a whole chain in one file find its root by them.
 */
export async function createChainedAuthority(options: ChainedAuthorityOptions): Promise<Identity> {
  const x509 = await loadX509();
  const keys = await newKeys("p256");
  const signer = options.issuer && (await knownSigner(x509, options.issuer));
  const name = subject(x509, options.commonName, []);
  const keyId = options.random.bytes(20).toString("hex");
  const cert = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: signer?.name ?? name,
    serialNumber: serialNumber(options.random),
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey: signer?.signingKey ?? keys.privateKey,
    signingAlgorithm: signing(signer?.kind ?? "p256"),
    extensions: extensionsOf(x509, keyId, signer?.keyId),
  });
  return { cert: certPem(cert), key: await keyPem(keys) };
}

export interface CrossSigningOptions {
  /** PEM of the authority that is vouched for. */
  cert: string;
  /** Who vouches for it. */
  issuer: Identity;
  notBefore: number;
  lifetimeMs: number;
  random: Random;
}

/**
 * A second certificate for an authority, under its own name and for its own key, from another one: whoever trusts that one
 * trusts what this one issues.
 */
export async function crossSign(options: CrossSigningOptions): Promise<string> {
  const x509 = await loadX509();
  const own = new x509.X509Certificate(options.cert);
  const signer = await knownSigner(x509, options.issuer);
  const keyId = own.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId ?? "";
  const cert = await x509.X509CertificateGenerator.create({
    subject: own.subjectName,
    issuer: signer.name,
    serialNumber: serialNumber(options.random),
    ...validity(options),
    publicKey: own.publicKey,
    signingKey: signer.signingKey,
    signingAlgorithm: signing(signer.kind),
    extensions: extensionsOf(x509, keyId, signer.keyId),
  });
  return certPem(cert);
}

function extensionsOf(x509: X509, keyId: string, issuerKeyId: string | undefined): Extension[] {
  const { digitalSignature, keyEncipherment, keyCertSign } = x509.KeyUsageFlags;
  return [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(digitalSignature | keyEncipherment | keyCertSign, true),
    new x509.SubjectKeyIdentifierExtension(keyId),
    ...(issuerKeyId === undefined ? [] : [new x509.AuthorityKeyIdentifierExtension(issuerKeyId)]),
  ];
}
