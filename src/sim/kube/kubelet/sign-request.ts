import { randomBytes, type webcrypto } from "node:crypto";
import { subtle } from "../../../lib/index.ts";
import { loadX509 } from "../../../pki/index.ts";

const day = 86_400_000;
const algorithm = { name: "ECDSA", namedCurve: "P-256" };
const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };

type Keys = Extract<Awaited<ReturnType<typeof webcrypto.subtle.generateKey>>, { privateKey: unknown }>;

const newKeys = (): Promise<Keys> => subtle.generateKey(algorithm, false, ["sign", "verify"]);

/** Signs what a request in base64 asks for, with keys of the moment: the authority of simulated kubelets is never checked. */
export async function signRequest(base64: string, nowMs: number): Promise<string> {
  const x509 = await loadX509();
  const request = new x509.Pkcs10CertificateRequest(Buffer.from(base64, "base64").toString("utf8"));
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(8).toString("hex"),
    subject: request.subject,
    issuer: "CN=kubernetes",
    notBefore: new Date(nowMs - 300_000),
    notAfter: new Date(nowMs + 365 * day),
    publicKey: request.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm,
    extensions: request.extensions,
  });
  return certificate.toString("pem");
}

/** What a kubelet asks for when it wants a certificate to serve with. */
export async function servingRequest(node: string, address: string): Promise<string> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `O=system:nodes, CN=system:node:${node}`,
    keys,
    signingAlgorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: node },
        { type: "ip", value: address },
      ]),
    ],
  });
  return Buffer.from(request.toString("pem")).toString("base64");
}
