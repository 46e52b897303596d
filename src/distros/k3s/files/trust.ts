import { createHash, X509Certificate } from "node:crypto";
import { issueAdmin, writeKubeconfig, type IssueOptions, type KubeconfigFields } from "../../../pki/index.ts";
import {
  servedAuthority,
  trustedAuthority,
  type K3sAuthorityName,
  type K3sBundle,
} from "../../../secrets/index.ts";
import { k3sPaths, type NodeFile } from "../paths.ts";

/** What servers join with. It names the cluster's root, so no server joins another cluster by mistake. */
export const serverToken = (bundle: K3sBundle): string => token(bundle, "server", bundle.token);

/** What agents join with; it lets no server in. */
export const agentToken = (bundle: K3sBundle): string => token(bundle, "node", bundle.agentToken);

const token = (bundle: K3sBundle, user: string, password: string): string =>
  `K10${servedHash(bundle)}::${user}:${password}`;

/** By which those who join know the servers of a cluster that are as far as its secrets. */
export const servedHash = (bundle: K3sBundle): string => caHash(servedAuthority(bundle, "server"));

/**
 * What K3s calls the hash of a CA file: of a single certificate the very bytes of the file count, of several the
 * fingerprint of the root that the first one leads to.
 */
export function caHash(pem: string): string {
  const [first, ...others] = certificatesIn(pem);
  const root = first && others.length > 0 ? rootOf(first, others) : undefined;
  return createHash("sha256")
    .update(root ? root.raw : pem)
    .digest("hex");
}

const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  );

/** Undefined where a link of the chain is missing. */
function rootOf(first: X509Certificate, others: X509Certificate[]): X509Certificate | undefined {
  const seen = new Set<X509Certificate>();
  let current: X509Certificate | undefined = first;
  do {
    current = others.find((other) => !seen.has(other) && current?.checkIssued(other));
    if (current) seen.add(current);
  } while (current && !current.checkIssued(current));
  return current;
}

/** What the files of the authorities are called, below the folder of K3s. */
export const trustFileNames: Record<K3sAuthorityName, string> = {
  server: "server-ca",
  client: "client-ca",
  requestHeader: "request-header-ca",
  etcdPeer: "etcd/peer-ca",
  etcdServer: "etcd/server-ca",
};

/**
 * The files K3s would otherwise make by itself. Where it has them they are written once, on the first server before its first
 * start; others take their place only by way of another folder.
 */
export const trustFiles = (bundle: K3sBundle, folder: string = k3sPaths.trustFolder): NodeFile[] => [
  ...Object.entries(trustFileNames).flatMap(([key, file]) => {
    const name = key as K3sAuthorityName;
    return [
      { path: `${folder}/${file}.crt`, mode: "0644", content: servedAuthority(bundle, name) },
      { path: `${folder}/${file}.key`, mode: "0600", content: bundle.authorities[name].key },
    ];
  }),
  { path: `${folder}/service.key`, mode: "0600", content: bundle.serviceKey },
];

/** Made from the bundle alone, without asking a node. */
export async function kubeconfig(
  fields: KubeconfigFields,
  bundle: K3sBundle,
  options: IssueOptions,
): Promise<string> {
  const { cert, key } = await issueAdmin(bundle.authorities.client, "system:admin", options);
  // A server that has not heard of a new authority is led to it from the old one.
  const chain = bundle.rotation ? servedAuthority(bundle, "client") : "";
  return writeKubeconfig(fields, trustedAuthority(bundle, "server"), { cert: cert + chain, key });
}
