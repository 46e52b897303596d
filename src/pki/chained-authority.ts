import type { Random } from "../lib/index.ts";
import type { Identity } from "./identity.ts";
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
  const { digitalSignature, keyEncipherment, keyCertSign } = x509.KeyUsageFlags;
  const keyId = options.random.bytes(20).toString("hex");
  const cert = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: signer?.name ?? name,
    serialNumber: serialNumber(options.random),
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey: signer?.signingKey ?? keys.privateKey,
    signingAlgorithm: signing(signer?.kind ?? "p256"),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment | keyCertSign, true),
      new x509.SubjectKeyIdentifierExtension(keyId),
      ...(signer?.keyId === undefined ? [] : [new x509.AuthorityKeyIdentifierExtension(signer.keyId)]),
    ],
  });
  return { cert: certPem(cert), key: await keyPem(keys) };
}
