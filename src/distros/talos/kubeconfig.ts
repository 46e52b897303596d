import { writeYaml } from "../../lib/index.ts";
import { toTalosKey, type Identity } from "../../pki/index.ts";
import type { Bundle } from "../../secrets/index.ts";
import { issueKubernetesAdmin, type IssueOptions } from "./client-certificates.ts";
import { base64 } from "./config-values.ts";

export interface KubeconfigFields {
  cluster: string;
  /** The cluster's endpoint as configured. */
  server: string;
}

/** The file `kubectl` reads, for the administrator. Made from the bundle alone, without asking a node. */
export async function kubeconfig(
  fields: KubeconfigFields,
  bundle: Pick<Bundle, "kubernetes">,
  options: IssueOptions,
): Promise<string> {
  return writeKubeconfig(fields, bundle.kubernetes.cert, await issueKubernetesAdmin(bundle, options));
}

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
        user: {
          "client-certificate-data": base64(admin.cert),
          "client-key-data": base64(toTalosKey(admin.key)),
        },
      },
    ],
    contexts: [{ context: { cluster: fields.cluster, namespace: "default", user }, name: user }],
    "current-context": user,
  });
}
