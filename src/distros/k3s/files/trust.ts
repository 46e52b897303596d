import { createHash, X509Certificate } from "node:crypto";
import type { K3sAuthorityName, K3sBundle } from "../../../secrets/index.ts";
import { k3sPaths, type NodeFile } from "../paths.ts";

/** What servers join with. It names the cluster's root, so no server joins another cluster by mistake. */
export const serverToken = (bundle: K3sBundle): string => token(bundle, "server", bundle.token);

/** What agents join with; it lets no server in. */
export const agentToken = (bundle: K3sBundle): string => token(bundle, "node", bundle.agentToken);

const token = (bundle: K3sBundle, user: string, password: string): string =>
  `K10${caHash(bundle.authorities.server.cert)}::${user}:${password}`;

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

const fileNames: Record<K3sAuthorityName, string> = {
  server: "server-ca",
  client: "client-ca",
  requestHeader: "request-header-ca",
  etcdPeer: "etcd/peer-ca",
  etcdServer: "etcd/server-ca",
};

/** The files K3s would otherwise make by itself. For the first server, before its first start; never touched afterwards. */
export const trustFiles = (bundle: K3sBundle): NodeFile[] => [
  ...Object.entries(fileNames).flatMap(([name, file]) => {
    const { cert, key } = bundle.authorities[name as K3sAuthorityName];
    return [
      { path: `${k3sPaths.trustFolder}/${file}.crt`, mode: "0644", content: cert },
      { path: `${k3sPaths.trustFolder}/${file}.key`, mode: "0600", content: key },
    ];
  }),
  { path: `${k3sPaths.trustFolder}/service.key`, mode: "0600", content: bundle.serviceKey },
];
