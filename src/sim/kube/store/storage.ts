import { freeze } from "../../../lib/index.ts";
import { expired } from "./api-error.ts";
import { customKinds, type Definition } from "./custom-kinds.ts";
import { apiVersionOf, builtInKinds, type Kind } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

/** One write, as watchers see it. `before` lets a selector notice objects that come into or leave its view. */
export interface Change {
  type: "ADDED" | "MODIFIED" | "DELETED";
  kind: Kind;
  object: KubeObject;
  before?: KubeObject | undefined;
  revision: number;
}

/** Everything a simulated cluster holds, as plain data. */
export interface KubeState {
  revision: number;
  objects: KubeObject[];
}

/** How many writes a watch may be behind before it is told to start over. */
const historyLength = 2_000;

/** Objects by kind, namespace and name; every write gets the next revision. Knows no rules about objects. */
export class Storage {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #watchers = new Set<(change: Change) => void>();
  readonly #custom = new Map<string, Kind[]>();
  readonly #untold: Change[] = [];
  #kinds: Kind[] = [];
  #byName = new Map<string, Kind>();
  #history: Change[] = [];
  #oldest: number;
  #revision: number;

  constructor(saved?: KubeState) {
    this.#revision = saved?.revision ?? 1;
    this.#oldest = this.#revision;
    this.#nameKinds();
    // Definitions first: they say what the other objects are.
    const objects = saved?.objects ?? [];
    for (const object of objects) if (object.kind === "CustomResourceDefinition") this.#restore(object);
    for (const object of objects) if (object.kind !== "CustomResourceDefinition") this.#restore(object);
  }

  get revision(): number {
    return this.#revision;
  }

  kinds(): Kind[] {
    return this.#kinds;
  }

  kindOf(apiVersion: string, kind: string): Kind | undefined {
    return this.#byName.get(`${apiVersion} ${kind}`);
  }

  find(kind: Kind, namespace: string | undefined, name: string): KubeObject | undefined {
    const object = this.#table(kind).get(keyOf(kind, namespace, name));
    return object && inVersion(kind, object);
  }

  /** Ordered by namespace and name, as etcd would give them. */
  all(kind: Kind, namespace?: string): KubeObject[] {
    const rows = [...this.#table(kind).entries()].filter(
      ([key]) => namespace === undefined || !kind.isNamespaced || key.startsWith(`${namespace}/`),
    );
    rows.sort(([left], [right]) => (left < right ? -1 : 1));
    return rows.map(([, object]) => inVersion(kind, object));
  }

  put(kind: Kind, object: KubeObject): KubeObject {
    const key = keyOf(kind, object.metadata.namespace, object.metadata.name ?? "");
    const table = this.#table(kind);
    const before = table.get(key);
    const stored = this.#stamp(object);
    table.set(key, stored);
    this.#serve(stored);
    this.#tell({ type: before ? "MODIFIED" : "ADDED", kind, object: stored, before });
    return stored;
  }

  remove(kind: Kind, object: KubeObject): KubeObject {
    const key = keyOf(kind, object.metadata.namespace, object.metadata.name ?? "");
    const before = this.#table(kind).get(key);
    this.#table(kind).delete(key);
    const last = this.#stamp(object);
    if (this.#custom.delete(definitionName(object))) this.#nameKinds();
    this.#tell({ type: "DELETED", kind, object: last, before });
    return last;
  }

  /** Changes after `revision`; refuses when they are no longer known. */
  since(revision: number): Change[] {
    if (revision < this.#oldest) throw expired(revision, this.#oldest);
    return this.#history.filter((change) => change.revision > revision);
  }

  /** Objects stay; the way they came to be is no longer known, as after a compaction of etcd. */
  forget(): void {
    this.#history = [];
    this.#oldest = this.#revision;
  }

  /** The oldest revision that a reader may still go on from. */
  get oldest(): number {
    return this.#oldest;
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  toJSON(): KubeState {
    return {
      revision: this.#revision,
      objects: [...this.#objects.values()].flatMap((table) => [...table.values()]),
    };
  }

  #table(kind: Kind): Map<string, KubeObject> {
    const key = `${kind.group}/${kind.resource}`;
    const table = this.#objects.get(key) ?? new Map<string, KubeObject>();
    this.#objects.set(key, table);
    return table;
  }

  #stamp(object: KubeObject): KubeObject {
    this.#revision += 1;
    return freeze({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#revision) },
    });
  }

  #serve(object: KubeObject): void {
    if (object.kind !== "CustomResourceDefinition") return;
    this.#custom.set(object.metadata.name ?? "", customKinds(object as Definition));
    this.#nameKinds();
  }

  #nameKinds(): void {
    this.#kinds = [...builtInKinds, ...[...this.#custom.values()].flat()];
    this.#byName = new Map(this.#kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
  }

  #tell(change: Omit<Change, "revision">): void {
    const told: Change = { ...change, revision: this.#revision };
    this.#history.push(told);
    if (this.#history.length > historyLength * 2) {
      this.#history = this.#history.slice(-historyLength);
      this.#oldest = (this.#history[0]?.revision ?? this.#revision) - 1;
    }
    // A listener may write in turn; everybody still hears of changes in their order.
    this.#untold.push(told);
    if (this.#untold.length > 1) return;
    for (let next = this.#untold[0]; next; next = this.#untold[0]) {
      for (const listener of this.#watchers) listener(next);
      this.#untold.shift();
    }
  }

  #restore(object: KubeObject): void {
    this.#serve(object);
    const kind = this.kindOf(object.apiVersion, object.kind);
    if (!kind) throw new Error(`the saved cluster holds an unknown kind ${object.apiVersion} ${object.kind}`);
    const key = keyOf(kind, object.metadata.namespace, object.metadata.name ?? "");
    // Stored objects are handed out without copying, so nobody may change them.
    this.#table(kind).set(key, freeze(object));
  }
}

const definitionName = (object: KubeObject): string =>
  object.kind === "CustomResourceDefinition" ? (object.metadata.name ?? "") : "";

const keyOf = (kind: Kind, namespace: string | undefined, name: string): string =>
  kind.isNamespaced ? `${namespace ?? ""}/${name}` : name;

/** All versions of a resource share their objects; each reader gets the version it asked for. */
const inVersion = (kind: Kind, object: KubeObject): KubeObject =>
  object.apiVersion === apiVersionOf(kind) ? object : { ...object, apiVersion: apiVersionOf(kind) };
