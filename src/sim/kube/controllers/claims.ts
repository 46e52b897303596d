import { recordEvent } from "../store/events.ts";
import { dig, digText, isFields, type KubeObject } from "../store/object.ts";
import { refOf } from "../store/store.ts";
import { keyOf, refAt, type Cluster, type Controller } from "./controller.ts";
import { hasCondition } from "./nodes/node-fit.ts";
import { classOf } from "./pod-claims.ts";

const claimKind = "PersistentVolumeClaim";
const selectedNode = "volume.kubernetes.io/selected-node";

/** Binds claims to volumes that a provisioner makes for them, if there is one. */
export const claims: Controller = {
  concerns({ object, before, kind, type }, { store }) {
    if (kind.kind === claimKind) return [type === "DELETED" ? volumeOf(object) : keyOf(object)];
    const isProvisioner =
      kind.kind === "Pod" &&
      kind.group === "" &&
      (before === undefined || hasCondition(before, "Ready") !== hasCondition(object, "Ready"));
    if (!isProvisioner && !["StorageClass", "CSIDriver", "PersistentVolume"].includes(kind.kind)) return [];
    return store
      .list({ apiVersion: "v1", kind: claimKind })
      .filter((claim) => digText(claim, "status", "phase") === "Pending")
      .map(keyOf);
  },
  run(key, cluster) {
    if (!key.includes("/")) return reclaim(cluster, key);
    const claim = cluster.store.find(refAt("v1", claimKind, key));
    if (claim && digText(claim, "status", "phase") === "Pending") bindClaim(cluster, claim);
    return undefined;
  },
};

const volumeOf = (claim: KubeObject): string => digText(claim, "spec", "volumeName");

/** A volume whose claim is gone goes too, or waits for somebody to decide. */
function reclaim({ store }: Cluster, name: string): undefined {
  const volume = store.find({ apiVersion: "v1", kind: "PersistentVolume", name });
  if (!volume) return undefined;
  if (digText(volume, "spec", "persistentVolumeReclaimPolicy") === "Delete") store.delete(refOf(volume));
  else store.patch(refOf(volume), "merge", { status: { phase: "Released" } }, { subresource: "status" });
  return undefined;
}

function bindClaim(cluster: Cluster, claim: KubeObject): void {
  const { store, faults } = cluster;
  const tell = (reason: string, message: string, type: "Normal" | "Warning" = "Normal") =>
    recordEvent(store, claim, { type, reason, message, from: "persistentvolume-controller" });
  const named = digText(claim, "spec", "storageClassName");
  const storageClass = classOf(cluster, claim);
  const existing = store
    .list({ apiVersion: "v1", kind: "PersistentVolume" })
    .find((volume) => suits(volume, claim));
  if (existing) return bind(cluster, claim, existing);
  const usual = named === "" ? defaultClass(cluster) : undefined;
  if (usual && !hasNoClass(claim)) {
    store.patch(refOf(claim), "merge", { spec: { storageClassName: usual.metadata.name } });
    return undefined;
  }
  if (!storageClass)
    return named === ""
      ? tell("FailedBinding", "no persistent volumes available for this claim and no storage class is set")
      : tell("ProvisioningFailed", `storageclass.storage.k8s.io "${named}" not found`, "Warning");
  const isDelayed = digText(storageClass, "volumeBindingMode") === "WaitForFirstConsumer";
  if (isDelayed && claim.metadata.annotations?.[selectedNode] === undefined)
    return tell("WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  const provisioner = digText(storageClass, "provisioner");
  const workload = `${claim.metadata.namespace}/${storageClass.metadata.name}`;
  const fault = faults.find("provisioner-failing", { workload });
  if (!hasProvisioner(cluster, provisioner))
    return tell(
      "ExternalProvisioning",
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
  if (fault)
    return tell(
      "ProvisioningFailed",
      `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${fault.message ?? "rpc error: code = DeadlineExceeded desc = context deadline exceeded"}`,
      "Warning",
    );
  bind(cluster, claim, createVolume(cluster, claim, storageClass, provisioner));
}

const hasNoClass = (claim: KubeObject): boolean => dig(claim, "spec", "storageClassName") === "";

const defaultClass = ({ store }: Cluster): KubeObject | undefined =>
  store
    .list({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass" })
    .find((one) => one.metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true");

/** A volume made by hand, for this claim or for any of its class. */
function suits(volume: KubeObject, claim: KubeObject): boolean {
  if (digText(volume, "status", "phase") === "Bound") return false;
  const wanted = digText(claim, "spec", "volumeName");
  if (wanted !== "") return volume.metadata.name === wanted;
  const heldFor = digText(volume, "spec", "claimRef", "name");
  const isSameClass =
    digText(volume, "spec", "storageClassName") === digText(claim, "spec", "storageClassName");
  return isSameClass && (heldFor === "" || heldFor === claim.metadata.name);
}

function createVolume(
  { store }: Cluster,
  claim: KubeObject,
  storageClass: KubeObject,
  provisioner: string,
): KubeObject {
  const spec = isFields(claim["spec"]) ? claim["spec"] : {};
  return store.create({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { "pv.kubernetes.io/provisioned-by": provisioner },
    },
    spec: {
      capacity: { storage: digText(spec, "resources", "requests", "storage") || "1Gi" },
      accessModes: spec["accessModes"] ?? ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: digText(storageClass, "reclaimPolicy") || "Delete",
      storageClassName: storageClass.metadata.name,
      volumeMode: "Filesystem",
      csi: { driver: provisioner, volumeHandle: `pvc-${claim.metadata.uid}` },
    },
  });
}

function bind({ store }: Cluster, claim: KubeObject, volume: KubeObject): void {
  const { name, namespace, uid } = claim.metadata;
  const capacity = (volume["spec"] as { capacity?: unknown }).capacity;
  const claimRef = { apiVersion: "v1", kind: claimKind, name, namespace, uid };
  store.patch(refOf(volume), "merge", { spec: { claimRef } });
  store.patch(refOf(volume), "merge", { status: { phase: "Bound" } }, { subresource: "status" });
  store.patch(refOf(claim), "merge", { spec: { volumeName: volume.metadata.name } });
  const accessModes = (claim["spec"] as { accessModes?: unknown }).accessModes ?? ["ReadWriteOnce"];
  store.patch(
    refOf(claim),
    "merge",
    { status: { phase: "Bound", accessModes, capacity } },
    { subresource: "status" },
  );
}

/** A provisioner is registered when a ready pod says its name, or is known to be the one. */
export const hasProvisioner = ({ store, site }: Cluster, provisioner: string): boolean =>
  store
    .list({ apiVersion: "v1", kind: "Pod" })
    .some(
      (pod) =>
        hasCondition(pod, "Ready") &&
        !pod.metadata.ownerReferences?.some((owner) => owner.kind === "DaemonSet") &&
        (site.programs.some((program) =>
          program.provisioners?.[provisioner]?.test(pod.metadata.name ?? ""),
        ) ||
          JSON.stringify([pod["spec"], pod.metadata.annotations]).includes(provisioner)),
    );
