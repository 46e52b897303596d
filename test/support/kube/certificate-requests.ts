import { webcrypto } from "node:crypto";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

/** What a kubelet, or somebody who says to be one, asks to be certified. */
export interface RequestWishes {
  subject: string;
  dns: string[];
  ips: string[];
}

/** A signed certificate request, PEM. */
export async function certificateRequest({ subject, dns, ips }: RequestWishes): Promise<string> {
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        ...dns.map((value) => ({ type: "dns" as const, value })),
        ...ips.map((value) => ({ type: "ip" as const, value })),
      ]),
    ],
  });
  return request.toString("pem");
}
