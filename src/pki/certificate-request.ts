import type { SubjectAlternativeNameExtension } from "@peculiar/x509";
import { loadX509 } from "./load-x509.ts";

/** What somebody asks to be certified. */
export interface CertificateRequest {
  commonName: string;
  organizations: string[];
  names: string[];
  addresses: string[];
}

/** Reads a PEM certificate request. The signature proves the asker holds the key; one without it is undefined. */
export async function readCertificateRequest(pem: string): Promise<CertificateRequest | undefined> {
  const x509 = await loadX509();
  const request = new x509.Pkcs10CertificateRequest(pem);
  if (!(await request.verify())) return undefined;
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
  };
}
