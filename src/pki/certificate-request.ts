import type { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { loadX509 } from "./load-x509.ts";

/** What somebody asks to be certified. */
export interface CertificateRequest {
  commonName: string;
  organizations: string[];
  names: string[];
  addresses: string[];
  /** Alternative names that are neither: mail addresses, URIs. */
  others: string[];
}

/**
 * Reads a PEM certificate request. The signature proves the asker holds the key; one without it, or a text that is
 * no request at all, is undefined.
 */
export async function readCertificateRequest(pem: string): Promise<CertificateRequest | undefined> {
  const x509 = await loadX509();
  const request = await verified(() => new x509.Pkcs10CertificateRequest(pem));
  if (!request) return undefined;
  const extension = request.extensions.find(
    (known): known is SubjectAlternativeNameExtension =>
      known instanceof x509.SubjectAlternativeNameExtension,
  );
  const alternatives = extension?.names.toJSON() ?? [];
  const ofType = (type: string): string[] =>
    alternatives.filter((name) => name.type === type).map((name) => name.value);
  return {
    commonName: request.subjectName.getField("CN")[0] ?? "",
    organizations: request.subjectName.getField("O"),
    names: ofType("dns"),
    addresses: ofType("ip"),
    others: alternatives.filter(({ type }) => type !== "dns" && type !== "ip").map((name) => name.value),
  };
}

async function verified(read: () => Pkcs10CertificateRequest): Promise<Pkcs10CertificateRequest | undefined> {
  try {
    const request = read();
    return (await request.verify()) ? request : undefined;
  } catch {
    return undefined;
  }
}
