import { writeYaml, type Clock, type Random } from "../../lib/index.ts";
import { issueCertificate, type Identity } from "../../pki/index.ts";
import type { K3sBundle } from "../../secrets/index.ts";

export interface KubeconfigFields {
  cluster: string;
  /** The cluster's endpoint as configured. */
  server: string;
}

export interface IssueOptions {
  clock: Pick<Clock, "now">;
  random: Random;
}

const dayMs = 86_400_000;

/** The administrator of the cluster, for a year. Ten seconds old at birth, for clocks that lag a little. */
export const issueAdmin = (
  bundle: Pick<K3sBundle, "authorities">,
  options: IssueOptions,
): Promise<Identity> =>
  issueCertificate({
    authority: bundle.authorities.client,
    commonName: "system:admin",
    organizations: ["system:masters"],
    usages: ["client"],
    isKeyEncipherment: true,
    notBefore: options.clock.now() - 10_000,
    lifetimeMs: 365 * dayMs,
    random: options.random,
  });

/** The file `kubectl` reads, for the administrator. Made from the bundle alone, without asking a node. */
export const kubeconfig = async (
  fields: KubeconfigFields,
  bundle: Pick<K3sBundle, "authorities">,
  options: IssueOptions,
): Promise<string> =>
  writeKubeconfig(fields, bundle.authorities.server.cert, await issueAdmin(bundle, options));

export function writeKubeconfig(fields: KubeconfigFields, authority: string, admin: Identity): string {
  const user = `admin@${fields.cluster}`;
  return writeYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: fields.cluster,
        cluster: { server: fields.server, "certificate-authority-data": base64(authority) },
      },
    ],
    users: [
      {
        name: user,
        user: { "client-certificate-data": base64(admin.cert), "client-key-data": base64(admin.key) },
      },
    ],
    contexts: [{ context: { cluster: fields.cluster, namespace: "default", user }, name: user }],
    "current-context": user,
  });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
