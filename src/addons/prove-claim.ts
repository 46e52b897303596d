import { explainPods, troubleInWords, type KubeClient, type Manifest } from "../clients/kube/index.ts";
import type { KubeJob, KubeVolumeClaim } from "../clients/kube/index.ts";
import type { Seen } from "../plan/index.ts";
import { notYet } from "./prove-nodes.ts";

/** Some seconds are usual; an image has to be fetched and a volume made. */
const usualTryMs = 120_000;
const image = "registry.k8s.io/e2e-test-images/busybox:1.36.1-1";
const name = "proof";

export interface ClaimProof {
  /** Of the add-on. */
  id: string;
  storageClass: string;
  access: "ReadWriteOnce" | "ReadWriteMany";
  /** How long one try takes at most. */
  tryMs?: number;
}

/**
 * Claims a volume and lets a pod write to it: a claim that is bound says only that the controller works. All of it
 * lives in a namespace of its own, which goes at the end, however that comes.
 */
export async function proveClaim(
  kube: KubeClient,
  proof: ClaimProof,
  signal: AbortSignal,
): Promise<Seen<string>> {
  const namespace = `slipway-proof-${proof.id}`;
  const earlier = await kube.get({ apiVersion: "v1", kind: "Namespace", name: namespace }, signal);
  if (earlier?.metadata.deletionTimestamp !== undefined)
    return notYet(`what an earlier try left in namespace ${namespace} is still going`);
  try {
    for (const manifest of proofObjects(namespace, proof))
      await kube.apply(manifest, { isForced: true, signal });
    return (await isWritten(kube, namespace, proof.tryMs ?? usualTryMs, signal))
      ? { done: true, value: `a pod wrote to a volume of class ${proof.storageClass}` }
      : notYet(await whyNot(kube, namespace, proof, signal));
  } finally {
    await cleanUp(kube, namespace);
  }
}

const labels = { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/proof": "claim" };

function proofObjects(namespace: string, { storageClass, access }: ClaimProof): Manifest[] {
  const metadata = { name, namespace, labels };
  const container = {
    name,
    image,
    command: ["sh", "-c", "echo slipway > /proof/written && cat /proof/written"],
    volumeMounts: [{ name, mountPath: "/proof" }],
  };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata,
      spec: {
        accessModes: [access],
        storageClassName: storageClass,
        resources: { requests: { storage: "1Gi" } },
      },
    },
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata,
      spec: {
        backoffLimit: 3,
        template: {
          metadata: { labels },
          spec: {
            restartPolicy: "Never",
            containers: [container],
            volumes: [{ name, persistentVolumeClaim: { claimName: name } }],
          },
        },
      },
    },
  ];
}

/** False when the time of this try is over, or the job has given up. */
async function isWritten(
  kube: KubeClient,
  namespace: string,
  tryMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(tryMs)]);
  try {
    for await (const { object } of kube.watch<KubeJob>(
      { apiVersion: "batch/v1", kind: "Job", namespace },
      limit,
    )) {
      const conditions = object.status?.conditions ?? [];
      const ending = conditions.find(({ type, status }) => endings.has(type) && status === "True");
      if (ending || (object.status?.succeeded ?? 0) > 0) return ending?.type !== "Failed";
    }
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error;
  }
  return false;
}

const endings = new Set(["Complete", "Failed"]);

async function whyNot(
  kube: KubeClient,
  namespace: string,
  { storageClass }: ClaimProof,
  signal: AbortSignal,
): Promise<string> {
  const troubles = await explainPods(kube, { namespace }, signal);
  const claim = await kube.get<KubeVolumeClaim>(claimRef(namespace), signal);
  const phase = claim?.status?.phase ?? "missing";
  const why = troubles.length > 0 ? `: ${troubleInWords(troubles)}` : "";
  return phase === "Bound"
    ? `a volume of class ${storageClass} was made, but no pod wrote to it${why}`
    : `a claim of class ${storageClass} is ${phase}${why}`;
}

const claimRef = (namespace: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  namespace,
  name,
});

/** Also after an interruption, so it has a limit of its own. */
async function cleanUp(kube: KubeClient, namespace: string): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  const claim = await kube.get<KubeVolumeClaim>(claimRef(namespace), signal);
  const volume = claim?.spec?.volumeName;
  // Volumes of a class that retains them would pile up.
  if (volume !== undefined && volume !== "") {
    const ref = { apiVersion: "v1", kind: "PersistentVolume", name: volume };
    await kube.patch(ref, { spec: { persistentVolumeReclaimPolicy: "Delete" } }, { signal });
  }
  await kube.delete({ apiVersion: "v1", kind: "Namespace", name: namespace }, { signal });
}
