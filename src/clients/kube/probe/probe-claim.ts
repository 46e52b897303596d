import type { Clock } from "../../../lib/index.ts";
import type { KubeClient } from "../client.ts";
import type { KubeVolumeClaim } from "../kinds/cluster.ts";
import { explainPods, latestWarning, troubleText } from "../explain-pods.ts";
import type { Manifest } from "../kinds/object.ts";
import type { KubeJob } from "../kinds/workloads.ts";

export type ClaimAccess = "ReadWriteOnce" | "ReadWriteMany";

export interface ClaimProbe {
  /** It is there already, and goes afterwards with all that is in it. */
  namespace: string;
  name: string;
  labels: Record<string, string>;
  storageClass: string;
  access: ClaimAccess;
  image: string;
}

/**
 * Claims a volume and lets a pod write to it: a claim that is bound says only that the controller works. Undefined
 * when the pod has written, else why it has not.
 */
export async function whyNotWritten(
  kube: KubeClient,
  probe: ClaimProbe,
  limits: { tryMs: number; clock: Clock; signal: AbortSignal },
): Promise<string | undefined> {
  const { signal } = limits;
  for (const manifest of [claim(probe), writer(probe)])
    await kube.apply(manifest, { isForced: true, signal });
  return (await isWritten(kube, probe, limits)) ? undefined : explain(kube, probe, signal);
}

const metadataOf = ({ namespace, name, labels }: ClaimProbe) => ({ namespace, name, labels });

const claim = (probe: ClaimProbe): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: metadataOf(probe),
  spec: {
    accessModes: [probe.access],
    storageClassName: probe.storageClass,
    resources: { requests: { storage: "1Gi" } },
  },
});

const writer = (probe: ClaimProbe): Manifest => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: metadataOf(probe),
  spec: {
    backoffLimit: 3,
    // Also when nobody is left to remove it.
    activeDeadlineSeconds: 600,
    template: {
      metadata: { labels: probe.labels },
      spec: {
        restartPolicy: "Never",
        containers: [
          {
            name: "writer",
            image: probe.image,
            command: ["sh", "-c", "echo slipway > /proof/written && cat /proof/written"],
            volumeMounts: [{ name: "proof", mountPath: "/proof" }],
          },
        ],
        volumes: [{ name: "proof", persistentVolumeClaim: { claimName: probe.name } }],
      },
    },
  },
});

const endings = new Set(["Complete", "Failed"]);

/** False when the time of this try is over, or the job has given up. */
async function isWritten(
  kube: KubeClient,
  { namespace, name }: ClaimProbe,
  { tryMs, clock, signal }: { tryMs: number; clock: Clock; signal: AbortSignal },
): Promise<boolean> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  const timer = clock.sleep(tryMs, limit).then(
    () => over.abort(),
    () => undefined,
  );
  try {
    const query = { apiVersion: "batch/v1", kind: "Job", namespace, fields: `metadata.name=${name}` };
    for await (const { object } of kube.watch<KubeJob>(query, limit)) {
      const conditions = object.status?.conditions ?? [];
      const ending = conditions.find(({ type, status }) => endings.has(type) && status === "True");
      if (ending || (object.status?.succeeded ?? 0) > 0) return ending?.type !== "Failed";
    }
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error;
  } finally {
    over.abort();
    await timer;
  }
  return false;
}

/** What its provisioner says about the claim tells more than that its pod waits for it. */
async function explain(
  kube: KubeClient,
  { namespace, name, storageClass }: ClaimProbe,
  signal: AbortSignal,
): Promise<string> {
  const ref = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name };
  const [troubles, said, made] = await Promise.all([
    explainPods(kube, { namespace, labels: `job-name=${name}`, owner: name }, signal),
    latestWarning(kube, ref, signal),
    kube.get<KubeVolumeClaim>(ref, signal),
  ]);
  const phase = made?.status?.phase ?? "missing";
  const ofPods = troubles.length > 0 ? troubleText(troubles) : undefined;
  const because = (why: string | undefined) => (why === undefined ? "" : `: ${why}`);
  return phase === "Bound"
    ? `a volume of class ${storageClass} was made, but no pod wrote to it${because(ofPods)}`
    : `a claim of class ${storageClass} is ${phase}${because(said ?? ofPods)}`;
}
