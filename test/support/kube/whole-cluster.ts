import type { KubeClient } from "../../../src/clients/kube/index.ts";

/** Kinds whose objects come and go by themselves. */
const restless = new Set(["Event", "Lease", "NodeMetrics", "PodMetrics", "ComponentStatus"]);

export interface ClusterObject {
  /** `apps/v1 Deployment kube-system/coredns`. */
  name: string;
  resourceVersion: string;
  managers: string[];
}

interface WithManagers {
  metadata: { managedFields?: { manager?: string }[] };
}

/** Every object of every kind the cluster serves, sorted by name. */
export async function wholeCluster(kube: KubeClient): Promise<ClusterObject[]> {
  const kinds = (await kube.kinds()).filter(
    ({ kind, verbs, resource }) => verbs.includes("list") && !restless.has(kind) && !resource.includes("/"),
  );
  const objects = await Promise.all(
    kinds.map(async ({ apiVersion, kind }) => {
      const { items } = await kube.list({ apiVersion, kind });
      return items.map(({ metadata, ...more }) => {
        const { managedFields = [] } = ({ metadata, ...more } as unknown as WithManagers).metadata;
        const place = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
        return {
          name: `${apiVersion} ${kind} ${place}${metadata.name}`,
          resourceVersion: metadata.resourceVersion ?? "",
          managers: [...new Set(managedFields.flatMap(({ manager }) => manager ?? []))],
        };
      });
    }),
  );
  return objects.flat().toSorted((a, b) => a.name.localeCompare(b.name));
}
