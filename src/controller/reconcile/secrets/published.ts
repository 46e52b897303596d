import { readKubeconfig, type KubeClient, type KubeRef, type Manifest } from "../../../clients/kube/index.ts";
import { stableJson } from "../../../lib/index.ts";
import { clusterLabel, publishesKubeconfig, type SlipwayCluster } from "../../objects/index.ts";

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
  client: Pick<KubeClient, "get" | "apply" | "delete">,
  object: SlipwayCluster,
  namespace: string,
  kubeconfig: string,
  before: string | undefined,
): Promise<string> {
  const wanted = [
    ...(publishesKubeconfig(object) ? [kubeconfigSecret(object, namespace, kubeconfig)] : []),
    ...(object.spec.argocd ? [argocdSecret(object, namespace, kubeconfig)] : []),
  ];
  const text = stableJson(wanted);
  if (text === before) return text;
  for (const secret of wanted) await client.apply(secret, { isForced: true });
  await withdrawFormer(client, object, namespace, { wanted, before });
  return text;
}

const secretRef = (name: string, namespace: string): KubeRef => ({
  ...{ apiVersion: "v1", kind: "Secret", name, namespace },
});

/** What the object asks for no more. In our own namespace also what was written before this process was there. */
async function withdrawFormer(
  client: Pick<KubeClient, "get" | "delete">,
  object: SlipwayCluster,
  namespace: string,
  { wanted, before = "[]" }: { wanted: readonly Manifest[]; before: string | undefined },
): Promise<void> {
  const placeOf = ({ metadata }: Manifest): string => `${metadata.namespace ?? namespace}/${metadata.name}`;
  const places = new Set(wanted.map(placeOf));
  const written = (JSON.parse(before) as Manifest[]).filter((secret) => !places.has(placeOf(secret)));
  for (const { metadata } of written)
    await client.delete(secretRef(metadata.name, metadata.namespace ?? namespace));
  for (const name of [kubeconfigSecretOf(object), argocdSecretOf(object)])
    if (!places.has(`${namespace}/${name}`)) await withdrawOwn(client, object, secretRef(name, namespace));
}

/** Takes a Secret away if it is one of this cluster. */
async function withdrawOwn(
  client: Pick<KubeClient, "get" | "delete">,
  { metadata }: SlipwayCluster,
  ref: KubeRef,
): Promise<void> {
  const found = await client.get(ref);
  if (found?.metadata.labels?.[clusterLabel] === metadata.name) await client.delete(ref);
}

/** All that was written for a cluster that goes, whatever its object asked for last. */
export async function withdrawAccess(
  client: Pick<KubeClient, "get" | "delete">,
  object: SlipwayCluster,
  namespace: string,
): Promise<void> {
  const { argocd } = object.spec;
  for (const name of [kubeconfigSecretOf(object), argocdSecretOf(object)])
    await withdrawOwn(client, object, secretRef(name, namespace));
  // Who lets us write to another namespace need not let us read there.
  if (argocd?.namespace !== undefined && argocd.namespace !== namespace)
    await client.delete(secretRef(argocdSecretOf(object), argocd.namespace));
}
