import { decodeRelease, type ReleaseRef, type StoredRelease } from "../../../clients/helm/index.ts";
import type { KubeClient, KubeObject } from "../../../clients/kube/index.ts";

interface ReleaseSecret extends KubeObject {
  data?: { release?: string };
}

/** The newest revision of a release, as the cluster itself keeps it. */
export async function findRelease(
  kube: KubeClient,
  { name, namespace }: ReleaseRef,
  signal: AbortSignal,
): Promise<StoredRelease | undefined> {
  const labels = `owner=helm,name=${name}`;
  const { items } = await kube.list<ReleaseSecret>(
    { apiVersion: "v1", kind: "Secret", namespace, labels },
    signal,
  );
  const revisions = items.map(({ data }) => decodeRelease(data?.release ?? ""));
  return revisions.toSorted((a, b) => b.revision - a.revision)[0];
}
