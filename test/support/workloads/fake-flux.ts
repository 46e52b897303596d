import { SlipwayError } from "../../../src/errors/index.ts";
import type { KubeClient, KubeDeployment, KubeObject, Manifest } from "../../../src/clients/kube/index.ts";
import { conditionOf } from "../../../src/clients/kube/index.ts";
import { definitionOf, workloadOf } from "../../../src/sim/kube/operators/operator.ts";
import { eventually } from "../kube/objects.ts";
import type { Program } from "./fake-kubelet.ts";

const namespace = "flux-system";
const instances = { apiVersion: "fluxcd.controlplane.io/v1", kind: "FluxInstance" };
const finalizer = "fluxcd.controlplane.io/finalizer";

interface Instance extends KubeObject {
  spec: { components: string[]; sync: { url: string; ref: string; path: string } };
}

/** Makes Flux as its instance says; the instance goes only after all of that. */
export const fluxOperator: Program = async ({ kube, signal }) => {
  await eventually(() => kube.list(instances, signal));
  try {
    for await (const { type, object } of kube.watch<Instance>(instances, signal)) {
      if (type === "DELETED") continue;
      if (object.metadata.deletionTimestamp !== undefined) await removeFlux(kube, object);
      else if (!isSettled(object)) await makeFlux(kube, object, signal);
    }
  } catch (error) {
    if (!signal.aborted && !isGone(error)) throw error;
  }
};

const refOf = ({ apiVersion, kind, metadata }: KubeObject | Manifest) => ({
  apiVersion,
  kind,
  name: metadata.name,
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
});

async function makeFlux(kube: KubeClient, instance: Instance, signal: AbortSignal): Promise<void> {
  await kube.patch(refOf(instance), { metadata: { finalizers: [finalizer] } });
  for (const definition of definitions) await apply(kube, definition, signal);
  for (const object of objectsFor(instance)) await eventually(() => apply(kube, object, signal));
  await eventually(async () => {
    for (const name of instance.spec.components) {
      const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name };
      const deployment = await kube.get<KubeDeployment>(ref, signal);
      if (!deployment || conditionOf(deployment, "Available")?.status !== "True")
        throw new Error(`${name} is not available`);
    }
  });
  await sayReady(kube, instance);
}

async function removeFlux(kube: KubeClient, instance: Instance): Promise<void> {
  for (const object of [...objectsFor(instance), ...definitions])
    await kube.delete(refOf(object), { propagation: "Background" });
  await kube.patch(refOf(instance), { metadata: { finalizers: null } });
}

const apply = (kube: KubeClient, object: Manifest, signal: AbortSignal) =>
  kube.apply(object, { fieldManager: "flux-operator", isForced: true, signal });

const definitions = [
  definitionOf("source.toolkit.fluxcd.io", "v1", "GitRepository", "gitrepositories", "Namespaced"),
  definitionOf("kustomize.toolkit.fluxcd.io", "v1", "Kustomization", "kustomizations", "Namespaced"),
] as Manifest[];

const objectsFor = ({ spec: { components, sync } }: Instance): Manifest[] => [
  ...components.map(
    (name) => workloadOf("Deployment", { name, namespace }, `ghcr.io/fluxcd/${name}:v1`) as Manifest,
  ),
  {
    apiVersion: "source.toolkit.fluxcd.io/v1",
    kind: "GitRepository",
    metadata: { name: namespace, namespace },
    spec: { url: sync.url, ref: { name: sync.ref }, interval: "1m" },
  },
  {
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name: namespace, namespace },
    spec: { path: sync.path, prune: true, sourceRef: { kind: "GitRepository", name: namespace } },
  },
];

/** A controller that is always content with the objects of its kind. */
export const saysReady =
  (apiVersion: string, kind: string): Program =>
  async ({ kube, signal }) => {
    await eventually(() => kube.list({ apiVersion, kind }, signal));
    try {
      for await (const { type, object } of kube.watch({ apiVersion, kind }, signal))
        if (type !== "DELETED" && !isSettled(object)) await sayReady(kube, object);
    } catch (error) {
      if (!signal.aborted && !isGone(error)) throw error;
    }
  };

const isSettled = (object: KubeObject): boolean => {
  const { observedGeneration } = (object["status"] ?? {}) as { observedGeneration?: number };
  return observedGeneration === object.metadata.generation;
};

async function sayReady(kube: KubeClient, object: KubeObject): Promise<void> {
  const lastTransitionTime = new Date().toISOString();
  const ready = { type: "Ready", status: "True", reason: "Succeeded", message: "done", lastTransitionTime };
  const status = { observedGeneration: object.metadata.generation, conditions: [ready] };
  await kube.patch(refOf(object), { status }, { subresource: "status" });
}

/** The kind, or the object, has been removed under its controller. */
const isGone = (error: unknown): boolean =>
  error instanceof SlipwayError && ["KUBE_NOT_FOUND", "KUBE_KIND_UNKNOWN"].includes(error.code);
