import type { KubeClient, KubePod, KubeVolumeClaim } from "../../../src/clients/kube/index.ts";

interface PlacedSpec {
  volumes?: { persistentVolumeClaim?: { claimName: string } }[];
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: {
        nodeSelectorTerms?: { matchFields?: { key: string; values?: string[] }[] }[];
      };
    };
  };
}

/** Pods of a DaemonSet say where they belong; all others go where `usual` says, and their volumes with them. */
export async function chooseNode(kube: KubeClient, pod: KubePod, usual: string): Promise<string> {
  const { affinity } = (pod.spec ?? {}) as PlacedSpec;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const asked = terms.flatMap(({ matchFields = [] }) => matchFields.flatMap(({ values = [] }) => values))[0];
  const node = asked ?? usual;
  const annotations = { "volume.kubernetes.io/selected-node": node };
  for (const ref of claimsOf(pod)) await kube.patch(ref, { metadata: { annotations } });
  return node;
}

/** A pod starts only once all its volumes are there. */
export async function claimsAreBound(kube: KubeClient, pod: KubePod): Promise<boolean> {
  const claims = await Promise.all(claimsOf(pod).map((ref) => kube.get<KubeVolumeClaim>(ref)));
  return claims.every((claim) => claim?.status?.phase === "Bound");
}

function claimsOf(pod: KubePod) {
  const { volumes = [] } = (pod.spec ?? {}) as PlacedSpec;
  const { namespace = "" } = pod.metadata;
  return volumes.flatMap(({ persistentVolumeClaim: claim }) =>
    claim ? [{ apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: claim.claimName }] : [],
  );
}
