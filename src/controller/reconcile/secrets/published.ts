import { readKubeconfig, type KubeClient, type Manifest } from "../../../clients/kube/index.ts";
import { stableJson } from "../../../lib/index.ts";
import { clusterLabel, type SlipwayCluster } from "../../objects/index.ts";

/** What other tools read to reach a cluster: Secrets in the forms they know. */

export const kubeconfigSecretOf = ({ metadata }: SlipwayCluster): string => `${metadata.name}-kubeconfig`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** As Cluster API has it: Flux and many others look for the key `value`. */
const kubeconfigSecret = (object: SlipwayCluster, namespace: string, kubeconfig: string): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  type: "cluster.x-k8s.io/secret",
  metadata: {
    name: kubeconfigSecretOf(object),
    namespace,
    labels: { "cluster.x-k8s.io/cluster-name": object.metadata.name, [clusterLabel]: object.metadata.name },
  },
  data: { value: base64(kubeconfig) },
});

const argocdSecretOf = ({ metadata }: SlipwayCluster): string => `${metadata.name}-cluster`;

/** As Argo CD has it: the label makes it a cluster that Applications can name. */
function argocdSecret(object: SlipwayCluster, namespace: string, kubeconfig: string): Manifest {
  const { server, ca, cert = "", key = "" } = readKubeconfig(kubeconfig);
  const tlsClientConfig = { caData: base64(ca), certData: base64(cert), keyData: base64(key) };
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    metadata: {
      name: argocdSecretOf(object),
      namespace: object.spec.argocd?.namespace ?? namespace,
      labels: {
        ...object.spec.argocd?.labels,
        "argocd.argoproj.io/secret-type": "cluster",
        [clusterLabel]: object.metadata.name,
      },
    },
    data: {
      name: base64(object.metadata.name),
      server: base64(server),
      config: base64(stableJson({ tlsClientConfig })),
    },
  };
}

/** Writes what is not there yet or says something else. Gives back what was written, to be compared with next time. */
export async function publishAccess(
  client: Pick<KubeClient, "apply">,
  object: SlipwayCluster,
  namespace: string,
  kubeconfig: string,
  before: string | undefined,
): Promise<string> {
  const wanted = [
    kubeconfigSecret(object, namespace, kubeconfig),
    ...(object.spec.argocd ? [argocdSecret(object, namespace, kubeconfig)] : []),
  ];
  const text = stableJson(wanted);
  if (text !== before) for (const secret of wanted) await client.apply(secret, { isForced: true });
  return text;
}

export async function withdrawAccess(
  client: Pick<KubeClient, "delete">,
  object: SlipwayCluster,
  namespace: string,
): Promise<void> {
  const secret = { apiVersion: "v1", kind: "Secret" };
  await client.delete({ ...secret, name: kubeconfigSecretOf(object), namespace });
  if (object.spec.argocd)
    await client.delete({
      ...secret,
      name: argocdSecretOf(object),
      namespace: object.spec.argocd.namespace ?? namespace,
    });
}
