import { apiVersionOf } from "../store/kinds.ts";
import { digList, digText, isSame, stampOf, type KubeObject } from "../store/object.ts";
import { refOf } from "../store/store.ts";
import { deadApis } from "./api-services.ts";
import type { Cluster, Controller } from "./controller.ts";

/** Empties a namespace that is being deleted, then lets it go. What keeps it is told in its conditions. */
export const namespaces: Controller = {
  concerns({ object, kind, type }, { store }) {
    const all = () => store.list({ apiVersion: "v1", kind: "Namespace" }).filter(isGoing).map(nameOf);
    if (kind.kind === "Namespace") return [nameOf(object)];
    if (kind.kind === "APIService") return all();
    return type === "DELETED" && object.metadata.namespace !== undefined ? [object.metadata.namespace] : [];
  },
  run(name, cluster) {
    const { store } = cluster;
    const namespace = store.find({ apiVersion: "v1", kind: "Namespace", name });
    if (!namespace || !isGoing(namespace)) return undefined;
    const left = emptyNamespace(cluster, name);
    const dead = deadApis(cluster);
    if (left.length > 0 || dead.length > 0) tellWhy(cluster, namespace, left, dead);
    else store.patch(refOf(namespace), "merge", { spec: { finalizers: null } });
    return undefined;
  },
};

const nameOf = (object: KubeObject): string => object.metadata.name ?? "";
const isGoing = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;

/** What is left: finalizers hold it. */
function emptyNamespace({ store }: Cluster, namespace: string): KubeObject[] {
  return store.kinds().flatMap((kind) => {
    if (!kind.isNamespaced || !kind.verbs.includes("list")) return [];
    const query = { apiVersion: apiVersionOf(kind), kind: kind.kind, namespace };
    for (const object of store.list(query)) if (!isGoing(object)) store.delete(refOf(object));
    return store.list(query);
  });
}

function tellWhy({ store }: Cluster, namespace: KubeObject, left: KubeObject[], dead: string[]): void {
  const finalizers = left.flatMap((object) => object.metadata.finalizers ?? []);
  const failing = dead.map((api) => `${api}: stale GroupVersion discovery: ${api}`).join(", ");
  const condition = (type: string, isSo: boolean, reason: string, bad: string, good: string) => {
    const status = isSo ? "True" : "False";
    const old = digList(namespace, "status", "conditions").find((item) => digText(item, "type") === type);
    const time =
      digText(old, "status") === status ? digText(old, "lastTransitionTime") : stampOf(store.clock.now());
    return { type, status, lastTransitionTime: time, reason, message: isSo ? bad : good };
  };
  const status = {
    phase: "Terminating",
    conditions: [
      condition(
        "NamespaceDeletionDiscoveryFailure",
        dead.length > 0,
        dead.length > 0 ? "DiscoveryFailed" : "ResourcesDiscovered",
        `Discovery failed for some groups, ${dead.length} failing: unable to retrieve the complete list of server APIs: ${failing}`,
        "All resources successfully discovered",
      ),
      condition(
        "NamespaceContentRemaining",
        left.length > 0,
        left.length > 0 ? "SomeResourcesRemain" : "ContentRemoved",
        `Some resources are remaining: ${counted(left.map((object) => resourceOf(object)))}`,
        "All content successfully removed",
      ),
      condition(
        "NamespaceFinalizersRemaining",
        finalizers.length > 0,
        finalizers.length > 0 ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
        `Some content in the namespace has finalizers remaining: ${counted(finalizers)}`,
        "All content-preserving finalizers finished",
      ),
    ],
  };
  if (!isSame(status, namespace["status"]))
    store.patch(refOf(namespace), "merge", { status }, { subresource: "status" });
}

const resourceOf = ({ apiVersion, kind }: KubeObject): string => {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : ".";
  return `${kind.toLowerCase()}s${group} has`;
};

function counted(names: string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) =>
      name.endsWith(" has")
        ? `${name} ${count} resource instances`
        : `${name} in ${count} resource instances`,
    )
    .join(", ");
}

/** Every namespace has a service account `default`. */
export const serviceAccounts: Controller = {
  concerns({ object, kind, type }) {
    if (kind.kind === "Namespace" && type !== "DELETED") return [object.metadata.name ?? ""];
    return type === "DELETED" && kind.kind === "ServiceAccount" ? [object.metadata.namespace ?? ""] : [];
  },
  run(name, { store }) {
    const namespace = store.find({ apiVersion: "v1", kind: "Namespace", name });
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return undefined;
    const account = { apiVersion: "v1", kind: "ServiceAccount" };
    const own = { name: "default", namespace: name };
    if (!store.find({ ...account, ...own })) store.create({ ...account, metadata: own });
    return undefined;
  },
};
