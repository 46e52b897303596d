import { apiVersionOf } from "./kinds.ts";
import { digText, type KubeObject } from "./object.ts";
import type { Change } from "./storage.ts";
import type { KubeStore } from "./store.ts";

/** Answers the questions controllers ask all the time without going through all objects. */
export class ClusterIndex {
  readonly #all = new Map<string, KubeObject>();
  readonly #owned = new Map<string, Map<string, KubeObject>>();
  readonly #onNode = new Map<string, Map<string, KubeObject>>();
  readonly #inNamespace = new Map<string, Map<string, KubeObject>>();

  constructor(store: KubeStore) {
    for (const kind of store.kinds())
      if (kind.verbs.includes("list"))
        for (const object of store.list({ apiVersion: apiVersionOf(kind), kind: kind.kind }))
          this.#add(object);
  }

  see(change: Change): void {
    if (change.before) this.#drop(change.before);
    if (change.type !== "DELETED") this.#add(change.object);
    else this.#drop(change.object);
  }

  isAlive(uid: string): boolean {
    return this.#all.has(uid);
  }

  byUid(uid: string): KubeObject | undefined {
    return this.#all.get(uid);
  }

  everything(): Iterable<KubeObject> {
    return this.#all.values();
  }

  owned(uid: string | undefined, kind?: string): KubeObject[] {
    const all = [...(this.#owned.get(uid ?? "")?.values() ?? [])];
    return kind === undefined ? all : all.filter((object) => object.kind === kind);
  }

  /** Pods on a node; those that wait for one are on the node "". */
  podsOn(node: string): KubeObject[] {
    return [...(this.#onNode.get(node)?.values() ?? [])];
  }

  podCount(node: string): number {
    return this.#onNode.get(node)?.size ?? 0;
  }

  /** Objects of a kind in a namespace, or of a kind that lives in none. */
  inNamespace(apiVersion: string, kind: string, namespace?: string): KubeObject[] {
    return [...(this.#inNamespace.get(`${apiVersion} ${kind} ${namespace ?? ""}`)?.values() ?? [])];
  }

  #add(object: KubeObject): void {
    for (const [table, key] of this.#places(object)) {
      const found = table.get(key) ?? new Map<string, KubeObject>();
      found.set(object.metadata.uid ?? "", object);
      table.set(key, found);
    }
    this.#all.set(object.metadata.uid ?? "", object);
  }

  #drop(object: KubeObject): void {
    for (const [table, key] of this.#places(object)) {
      const found = table.get(key);
      found?.delete(object.metadata.uid ?? "");
      if (found?.size === 0) table.delete(key);
    }
    this.#all.delete(object.metadata.uid ?? "");
  }

  #places(object: KubeObject): [Map<string, Map<string, KubeObject>>, string][] {
    return [
      [this.#inNamespace, `${object.apiVersion} ${object.kind} ${object.metadata.namespace ?? ""}`],
      ...(object.metadata.ownerReferences ?? []).map(
        ({ uid }): [Map<string, Map<string, KubeObject>>, string] => [this.#owned, uid],
      ),
      ...(object.kind === "Pod" && object.apiVersion === "v1"
        ? [
            [this.#onNode, digText(object, "spec", "nodeName")] as [
              Map<string, Map<string, KubeObject>>,
              string,
            ],
          ]
        : []),
    ];
  }
}
