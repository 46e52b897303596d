import type { KubeClient, KubeObject, KubeVolumeClaim, Manifest } from "../../../src/clients/kube/index.ts";

interface Volume extends KubeObject {
  status?: { phase?: string };
}

const askedFor = "volume.kubernetes.io/storage-provisioner";
const selected = "volume.kubernetes.io/selected-node";

/**
 * What a storage driver's controller does beside Kubernetes' own: makes a volume for each claim of its class, and
 * removes the volume when its claim has gone.
 */
export async function provideVolumes(kube: KubeClient, driver: string, signal: AbortSignal): Promise<void> {
  await Promise.all([makeVolumes(kube, driver, signal), removeVolumes(kube, driver, signal)]).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
}

async function makeVolumes(kube: KubeClient, driver: string, signal: AbortSignal): Promise<void> {
  const claims = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
  for await (const { type, object } of kube.watch<KubeVolumeClaim>(claims, signal)) {
    const { annotations = {}, deletionTimestamp } = object.metadata;
    if (type === "DELETED" || deletionTimestamp !== undefined || annotations[askedFor] !== driver) continue;
    if (object.status?.phase === "Bound" || !(await isDue(kube, object))) continue;
    await kube.apply(volumeFor(object, driver), { fieldManager: driver, signal });
  }
}

/** Where the class wants to know the node first, its choice is awaited. */
async function isDue(kube: KubeClient, { spec, metadata }: KubeVolumeClaim): Promise<boolean> {
  const name = spec?.storageClassName ?? "";
  const storageClass = await kube.get({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name });
  return (
    storageClass?.["volumeBindingMode"] === "Immediate" || metadata.annotations?.[selected] !== undefined
  );
}

const volumeFor = ({ metadata, spec }: KubeVolumeClaim, driver: string): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: {
    name: `pvc-${metadata.uid}`,
    annotations: { "pv.kubernetes.io/provisioned-by": driver },
  },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: (spec as { accessModes?: string[] }).accessModes ?? [],
    persistentVolumeReclaimPolicy: "Delete",
    storageClassName: spec?.storageClassName,
    csi: { driver, volumeHandle: `pvc-${metadata.uid}` },
    claimRef: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
    },
  },
});

async function removeVolumes(kube: KubeClient, driver: string, signal: AbortSignal): Promise<void> {
  const volumes = { apiVersion: "v1", kind: "PersistentVolume" };
  for await (const { type, object } of kube.watch<Volume>(volumes, signal)) {
    const { annotations = {}, deletionTimestamp, name } = object.metadata;
    if (type === "DELETED" || deletionTimestamp !== undefined) continue;
    if (annotations["pv.kubernetes.io/provisioned-by"] !== driver) continue;
    if (object.status?.phase === "Released") await kube.delete({ ...volumes, name }, { signal });
  }
}
