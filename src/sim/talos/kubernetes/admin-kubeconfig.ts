import { stringify } from "yaml";
import { adminCertificate } from "../certificates.ts";
import type { TalosNode } from "../node.ts";

/** The kubeconfig a control plane hands out: a new certificate for the cluster's administrator. */
export async function adminKubeconfig(node: TalosNode): Promise<string> {
  const { config } = node;
  if (config === undefined) throw new Error("a node without config has no cluster");
  const identity = await adminCertificate(node);
  const name = config.clusterName;
  const user = `admin@${name}`;
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name,
          cluster: {
            server: config.endpoint.href.replace(/\/$/, ""),
            "certificate-authority-data": base64(config.kubeAccepted.join("")),
          },
        },
      ],
      users: [
        {
          name: user,
          user: {
            "client-certificate-data": base64(identity.cert),
            "client-key-data": base64(identity.key),
          },
        },
      ],
      contexts: [{ name: user, context: { cluster: name, namespace: "default", user } }],
      "current-context": user,
    },
    { lineWidth: 0 },
  );
}
