import { limitTime, type Clock, type Limits } from "../../../lib/index.ts";
import type { KubeClient } from "../client.ts";
import type { KubeNamespace, KubeVolumeClaim } from "../kinds/cluster.ts";

/** Small, and in most mirrors: what pods of ours run when they only try something. */
export const probeImage = "registry.k8s.io/e2e-test-images/busybox:1.36.1-1";

/** A namespace of ours in which something is tried; all of it goes with the namespace. */
export interface ProbeNamespace {
  name: string;
  labels: Record<string, string>;
  /** After this time nobody uses it any more, in milliseconds since 1970: whoever finds it may remove it. */
  untilMs?: number;
}

/** Twelve seconds, all in all. */
const accountLooks = 8;
const untilKey = "slipway.dev/until";
/** Also after an interruption, so it has a limit of its own. */
const goodbyeMs = 20_000;

export async function openProbeNamespace(
  kube: KubeClient,
  { name, labels, untilMs }: ProbeNamespace,
  { clock, signal }: Limits,
): Promise<void> {
  const annotations: Record<string, string> =
    untilMs === undefined ? {} : { [untilKey]: new Date(untilMs).toISOString() };
  await kube.apply(
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        ...{ name, annotations },
        labels: { ...labels, "pod-security.kubernetes.io/enforce": "baseline" },
      },
    },
    { isForced: true, signal },
  );
  // Pods are refused until their account is there, which a controller makes.
  const account = { apiVersion: "v1", kind: "ServiceAccount", namespace: name, name: "default" };
  for (let looks = 0; looks < accountLooks && !(await kube.get(account, signal)); looks += 1)
    await clock.sleep(50 * 2 ** looks, signal);
}

/** Asks for its removal, however the work in it ended. Volumes go with it, also where their class would keep them. */
export async function closeProbeNamespace(kube: KubeClient, clock: Clock, name: string): Promise<void> {
  await limitTime(clock, goodbyeMs, `no answer within ${goodbyeMs} ms`, undefined, (signal) =>
    removeWithVolumes(kube, name, signal),
  );
}

async function removeWithVolumes(kube: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  const query = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: name };
  const claims = await kube.list<KubeVolumeClaim>(query, signal);
  for (const { spec } of claims.items) {
    const volume = spec?.volumeName;
    if (volume === undefined || volume === "") continue;
    // Volumes of a class that retains them would pile up.
    const ref = { apiVersion: "v1", kind: "PersistentVolume", name: volume };
    await kube.patch(ref, { spec: { persistentVolumeReclaimPolicy: "Delete" } }, { signal });
  }
  await kube.delete({ apiVersion: "v1", kind: "Namespace", name }, { signal });
}

/** Removes what runs that were killed have left. One that may still be in use stays. */
export async function removeExpiredNamespaces(
  kube: KubeClient,
  labels: Record<string, string>,
  nowMs: number,
  { clock, signal }: Limits,
): Promise<string[]> {
  const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const query = { apiVersion: "v1", kind: "Namespace", labels: selector.join(",") };
  const { items } = await kube.list<KubeNamespace>(query, signal);
  const expired = items.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined && Date.parse(metadata.annotations?.[untilKey] ?? "") < nowMs,
  );
  for (const { metadata } of expired) await closeProbeNamespace(kube, clock, metadata.name);
  return expired.map(({ metadata }) => metadata.name);
}
