import { X509Certificate } from "node:crypto";
import { issueCertificate, toNodeKey, type CertificateOptions, type Identity } from "../../../pki/index.ts";
import type { HostView } from "../../linux/index.ts";
import { paths } from "../paths.ts";
import { certificatesIn } from "./token.ts";
import { datesOf, type TrustFiles } from "./trust.ts";

const dayMs = 86_400_000;
/** A certificate with less than this left is made anew when K3s starts. */
const renewedMs = 120 * dayMs;

type Subject = Pick<CertificateOptions, "commonName" | "organizations" | "usages" | "addresses" | "names">;

/** The certificate of supervisor and API, with the authorities above it. */
export function servingCertificate(host: HostView, trust: TrustFiles, names: string[]): Promise<Identity> {
  const of = {
    commonName: "k3s",
    organizations: ["k3s"],
    usages: ["server" as const],
    ...alternatives(names),
  };
  return keptLeaf(host, `${paths.tls}/serving-kube-apiserver`, trust, "server-ca", of);
}

/** The administrator of the kubeconfig that K3s writes. */
export const adminCertificate = (host: HostView, trust: TrustFiles): Promise<Identity> =>
  keptLeaf(host, `${paths.tls}/client-admin`, trust, "client-ca", {
    commonName: "system:admin",
    organizations: ["system:masters"],
    usages: ["client"],
  });

/** What a server gives to the kubelet of an agent. */
export const kubeletCertificate = async (host: HostView, trust: TrustFiles, node: string): Promise<string> =>
  (
    await newLeaf(host, trust, "client-ca", {
      commonName: `system:node:${node}`,
      organizations: ["system:nodes"],
      usages: ["client"],
    })
  ).cert;

/** One that lies there is used as long as its authority is known and its names and days are enough. */
async function keptLeaf(
  host: HostView,
  path: string,
  trust: TrustFiles,
  by: string,
  of: Subject,
): Promise<Identity> {
  const cert = host.files.read(`${path}.crt`)?.toString("utf8");
  const key = host.files.read(`${path}.key`)?.toString("utf8");
  if (cert !== undefined && key !== undefined && isGood(host, cert, trust[`${by}.crt`] ?? "", of))
    return { cert, key };
  const made = await newLeaf(host, trust, by, of);
  host.files.write(`${path}.crt`, made.cert, 0o644);
  host.files.write(`${path}.key`, made.key, 0o600);
  return made;
}

function isGood({ clock }: HostView, pem: string, authorities: string, of: Subject): boolean {
  const leaf = new X509Certificate(pem);
  const isKnown = certificatesIn(authorities).some(
    (one) => leaf.checkIssued(one) && leaf.verify(one.publicKey),
  );
  return (
    isKnown &&
    Date.parse(leaf.validTo) - clock.now() > renewedMs &&
    (of.names ?? []).every((name) => leaf.checkHost(name) !== undefined) &&
    (of.addresses ?? []).every((address) => leaf.checkIP(address) !== undefined)
  );
}

async function newLeaf(host: HostView, trust: TrustFiles, by: string, of: Subject): Promise<Identity> {
  const chain = trust[`${by}.crt`] ?? "";
  // The first certificate of the file signs.
  const cert = certificatesIn(chain)[0]?.toString() ?? "";
  const made = await issueCertificate({
    ...of,
    authority: { cert, key: toNodeKey(trust[`${by}.key`] ?? "") },
    isKeyEncipherment: true,
    ...datesOf(host),
    lifetimeMs: 365 * dayMs,
  });
  return { cert: `${made.cert}${chain}`, key: made.key };
}

function alternatives(mixed: string[]): { addresses: string[]; names: string[] } {
  const all = [...new Set(mixed)].filter((name) => name !== "");
  const isAddress = (name: string) => /^\d+(\.\d+){3}$/.test(name) || name.includes(":");
  return { addresses: all.filter(isAddress), names: all.filter((name) => !isAddress(name)) };
}
