import {
  type Cluster,
  type Controller,
  hasCondition,
  type KubeStore,
  type Manifest,
  type ObjectRef,
} from "../../../sim/kube/index.ts";
import { importedRoles } from "./import.ts";
import { webhookConfiguration } from "./objects.ts";
import { rancherNamespace } from "./version.ts";

const jobs = { apiVersion: "batch/v1", kind: "Job", namespace: "default" };
const clusterLabel = "cattle.io/cluster";

/** What is left of Rancher on a cluster that leaves goes when its clean-up job is through. */
export const cattleCleanup: Controller = {
  concerns: ({ object, kind }) =>
    kind.kind === "Job" && object.metadata.labels?.[clusterLabel] !== undefined
      ? [object.metadata.name ?? ""]
      : [],
  run(name, { store }) {
    const job = store.find({ ...jobs, name });
    if (!job || !hasCondition(job, "Complete")) return undefined;
    for (const ref of leftovers) {
      const found = store.find(ref);
      if (found && found.metadata.deletionTimestamp === undefined) store.delete(ref);
    }
    return undefined;
  },
};

const leftovers: ObjectRef[] = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    name: webhookConfiguration,
  },
  ...[rancherNamespace, "cattle-fleet-system", "cattle-impersonation-system"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    name,
  })),
  ...importedRoles.map(([kind, name]) => ({ apiVersion: "rbac.authorization.k8s.io/v1", kind, name })),
];

/** The clean-up of a cluster that Rancher knew under a name, wherever in the site it runs. */
export function findCleanUp(clusters: Iterable<Cluster>, clusterName: string): KubeStore | undefined {
  for (const { store } of clusters)
    if (store.list({ ...jobs, labels: `${clusterLabel}=${clusterName}` }).length > 0) return store;
  return undefined;
}

/** Nothing of Rancher is left. */
export const isClean = (store: KubeStore): boolean => leftovers.every((ref) => store.find(ref) === undefined);

export const cleanUpJob = (clusterName: string, image: string): Manifest => ({
  ...{ apiVersion: jobs.apiVersion, kind: jobs.kind },
  metadata: {
    generateName: "cattle-cleanup-",
    namespace: jobs.namespace,
    labels: { [clusterLabel]: clusterName },
  },
  spec: {
    backoffLimit: 4,
    template: {
      spec: {
        restartPolicy: "Never",
        tolerations: [{ operator: "Exists" }],
        containers: [{ name: "cleanup-agent", image, env: [{ name: "CLUSTER_CLEANUP", value: "true" }] }],
      },
    },
  },
});
