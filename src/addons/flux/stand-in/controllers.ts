import {
  definitionOf,
  dig,
  digList,
  digText,
  ensure,
  hasCondition,
  isServed,
  type KubeObject,
  type KubeStore,
  type Manifest,
  operating,
  refOf,
  stampOf,
  workloadOf,
} from "../../../sim/kube/index.ts";

const namespace = "flux-system";
const instances = { apiVersion: "fluxcd.controlplane.io/v1", kind: "FluxInstance" };
const sources = { apiVersion: "source.toolkit.fluxcd.io/v1", kind: "GitRepository" };
const appliers = { apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization" };

const definitions = [
  definitionOf("source.toolkit.fluxcd.io", "v1", "GitRepository", "gitrepositories", "Namespaced"),
  definitionOf("source.toolkit.fluxcd.io", "v1", "HelmRepository", "helmrepositories", "Namespaced"),
  definitionOf("kustomize.toolkit.fluxcd.io", "v1", "Kustomization", "kustomizations", "Namespaced"),
  definitionOf("helm.toolkit.fluxcd.io", "v2", "HelmRelease", "helmreleases", "Namespaced"),
];

/** Makes Flux as its instance says: controllers, kinds, and the repository everything comes from. */
export const fluxOperator = operating({
  namespace,
  workload: "flux-operator",
  watches: ["FluxInstance", "Deployment"],
  work({ store }) {
    const instance = isServed(store, instances.apiVersion, instances.kind)
      ? store.list({ ...instances, namespace })[0]
      : undefined;
    if (!instance) return;
    const registry = digText(instance, "spec", "distribution", "registry");
    const controllers = digList(instance, "spec", "components").map(String);
    const workloads = controllers.map((name) =>
      workloadOf("Deployment", { name, namespace }, `${registry}/${name}:v1`),
    );
    const all = [...definitions, ...workloads, ...syncOf(instance)];
    if (instance.metadata.deletionTimestamp !== undefined) {
      removeFlux(store, instance, all);
      return;
    }
    hold(store, instance);
    ensure(store, all, "flux-operator");
    if (controllers.every((name) => isAvailable(store, name)))
      sayReady(store, instance, "ReconciliationSucceeded", "Reconciliation finished");
  },
});

const finalizer = "fluxcd.controlplane.io/finalizer";

/** The instance stays until its operator has taken Flux away. */
function hold(store: KubeStore, instance: KubeObject): void {
  if (instance.metadata.finalizers?.includes(finalizer)) return;
  const metadata = { finalizers: [...(instance.metadata.finalizers ?? []), finalizer] };
  store.patch(refOf(instance), "merge", { metadata }, { fieldManager: "flux-operator" });
}

/** What Flux has applied stays; its own kinds go last, with whatever is left of them. */
function removeFlux(store: KubeStore, instance: KubeObject, made: Manifest[]): void {
  for (const { apiVersion, kind, metadata } of made.toReversed()) {
    const ref = { apiVersion, kind, name: metadata?.name ?? "", namespace: metadata?.namespace };
    const found = isServed(store, apiVersion, kind) ? store.find(ref) : undefined;
    if (found && found.metadata.deletionTimestamp === undefined) store.delete(refOf(found));
  }
  const finalizers = instance.metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
  store.patch(refOf(instance), "merge", { metadata: { finalizers } }, { fieldManager: "flux-operator" });
}

function syncOf(instance: KubeObject): Manifest[] {
  const url = digText(instance, "spec", "sync", "url");
  if (url === "") return [];
  const metadata = { name: namespace, namespace };
  const ref = digText(instance, "spec", "sync", "ref");
  return [
    { ...sources, metadata, spec: { url, ref: { name: ref }, interval: "1m" } },
    {
      ...appliers,
      metadata,
      spec: {
        path: digText(instance, "spec", "sync", "path"),
        prune: true,
        interval: "10m",
        sourceRef: { kind: "GitRepository", name: namespace },
      },
    },
  ];
}

const isAvailable = (store: KubeStore, name: string): boolean => {
  const deployment = store.find({ apiVersion: "apps/v1", kind: "Deployment", namespace, name });
  return deployment !== undefined && hasCondition(deployment, "Available");
};

/** Fetches repositories. The world of a simulation has any repository one asks for. */
export const fluxSources = operating({
  namespace,
  workload: "source-controller",
  watches: ["GitRepository"],
  work({ store }) {
    for (const source of store.list(sources))
      sayReady(store, source, "Succeeded", "stored artifact for revision 'main@sha1:5ea1ed'");
  },
});

/** Applies what was fetched. */
export const fluxAppliers = operating({
  namespace,
  workload: "kustomize-controller",
  watches: ["Kustomization", "GitRepository"],
  work({ store }) {
    for (const applier of store.list(appliers)) {
      const { name } = dig(applier, "spec", "sourceRef") as { name: string };
      const source = store.find({ ...sources, name, namespace: applier.metadata.namespace ?? namespace });
      if (source && hasCondition(source, "Ready"))
        sayReady(store, applier, "ReconciliationSucceeded", "Applied revision: main@sha1:5ea1ed");
    }
  },
});

function sayReady(store: KubeStore, object: KubeObject, reason: string, message: string): void {
  if (hasCondition(object, "Ready")) return;
  const lastTransitionTime = stampOf(store.clock.now());
  const conditions = [{ type: "Ready", status: "True", reason, message, lastTransitionTime }];
  const status = { observedGeneration: object.metadata.generation ?? 1, conditions };
  store.patch(refOf(object), "merge", { status }, { subresource: "status", fieldManager: "flux" });
}
