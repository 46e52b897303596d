import { randomBytes } from "node:crypto";
import { workloadState } from "../../../src/clients/kube/index.ts";
import type {
  KubeClient,
  KubeNode,
  KubePod,
  KubeRef,
  Look,
  Manifest,
} from "../../../src/clients/kube/index.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const patienceMs = 100_000;

/** Tries until it no longer throws; its last complaint is the failure. */
export async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (const endMs = Date.now() + patienceMs; ; await pause(50))
    try {
      return await work();
    } catch (error) {
      if (Date.now() > endMs) throw error;
    }
}

/** Looks until it is done. */
export const until = <T>(look: () => Promise<Look<T>>): Promise<T> =>
  eventually(async () => {
    const seen = await look();
    if (!seen.done) throw new Error(seen.seen);
    return seen.value;
  });

/** A namespace of its own for a case, with the service account that pods there need. */
export async function newNamespace(
  kube: KubeClient,
  about: string,
  podSecurity: "privileged" | "baseline" = "privileged",
): Promise<string> {
  const name = `${about}-${randomBytes(3).toString("hex")}`;
  const labels = { "pod-security.kubernetes.io/enforce": podSecurity };
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  await eventually(async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", namespace: name, name: "default" };
    if (!(await kube.get(account))) throw new Error(`${name} has no service account`);
  });
  return name;
}

export const configMap = (namespace: string, name: string, data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name },
  data,
});

export const refOfMap = (namespace: string, name: string): KubeRef => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace,
  name,
});

export const labelled = (manifest: Manifest, app: string): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, labels: { app } },
});

export const budget = (namespace: string, name: string, minAvailable: number): Manifest => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { namespace, name },
  spec: { minAvailable, selector: { matchLabels: { app: "web" } } },
});

/** A node that no kubelet stands behind: what is placed there runs because we say so. */
export const madeNode = (kube: KubeClient, name: string): Promise<KubeNode> =>
  kube.create<KubeNode>({ apiVersion: "v1", kind: "Node", metadata: { name } });

export interface PodTraits {
  app?: string;
  isManaged?: boolean;
  hasScratch?: boolean;
  isMirror?: boolean;
}

/** A pod on a node, said to be ready; it ends at once when told to. */
export async function pod(
  kube: KubeClient,
  namespace: string,
  name: string,
  node: string,
  { app = "web", isManaged, hasScratch, isMirror }: PodTraits = {},
): Promise<KubePod> {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", controller: true };
  await kube.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      name,
      labels: { app },
      ...(isMirror && { annotations: { "kubernetes.io/config.mirror": "1" } }),
      ...(isManaged && {
        ownerReferences: [{ ...owner, uid: await ownerOf(kube, namespace) }],
      }),
    },
    spec: {
      nodeName: node,
      hostNetwork: true,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image: "example.com/main:1" }],
      ...(hasScratch && { volumes: [{ name: "scratch", emptyDir: {} }] }),
    },
  });
  return eventually(() => saidReady(kube, namespace, name));
}

/** Where a kubelet runs it, it becomes ready by itself; else because we say so. */
async function saidReady(kube: KubeClient, namespace: string, name: string): Promise<KubePod> {
  const ref = { apiVersion: "v1", kind: "Pod", namespace, name };
  const found = await kube.get<KubePod>(ref);
  if (found && workloadState(found).isReady) return found;
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await kube.patch(ref, { status }, { subresource: "status" });
  throw new Error(`${name} is not ready`);
}

/** Pods without a living owner would be collected; this one never acts. */
const ownerOf = async (kube: KubeClient, namespace: string): Promise<string> =>
  (await kube.apply(configMap(namespace, "owner", {}))).metadata.uid ?? "";

/** Pods on the host's network: what many agents want, and Pod Security refuses below "privileged". */
export function agentDeployment(namespace: string, name: string): Manifest {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { hostNetwork: true, containers: [{ name: "main", image: "example.com/agent:1" }] },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

/** A webhook that has to be asked about new ConfigMaps of one namespace, and whose program is not there. */
export const deadWebhook = (name: string, namespace: string): Manifest => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name },
  webhooks: [
    {
      name: "gate.example.com",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      timeoutSeconds: 1,
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      clientConfig: { service: { namespace, name: "gate", path: "/check" } },
    },
  ],
});

/** Defines a kind "Boat". */
export const definedBoat = (kube: KubeClient) =>
  kube.apply({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boats.sea.example.com" },
    spec: {
      group: "sea.example.com",
      scope: "Namespaced",
      names: { kind: "Boat", plural: "boats", singular: "boat", listKind: "BoatList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: boatSchema } }],
    },
  });

const boatSchema = {
  type: "object",
  properties: { spec: { type: "object", properties: { length: { type: "integer" } } } },
};
