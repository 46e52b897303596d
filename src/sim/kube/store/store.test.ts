import { expect, test } from "vitest";
import { kubeStore, type Change, type KubeStore } from "../index.ts";

const config = (name: string, data: Record<string, string> = {}, metadata = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...metadata },
  data,
});
const ref = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });

const pod = (containers: unknown[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: { containers },
});

const fieldsOf = (store: KubeStore, name: string) =>
  store
    .get(ref(name))
    .metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [
      manager,
      operation,
      fieldsV1["f:data"],
    ]);

test("a new cluster has the four namespaces, and a saved one comes back as it was", () => {
  const store = kubeStore();
  store.create(config("settings", { a: "1" }));
  const again = kubeStore(JSON.parse(JSON.stringify(store)) as ReturnType<KubeStore["toJSON"]>);
  const names = again.list({ apiVersion: "v1", kind: "Namespace" }).map((object) => object.metadata.name);
  expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  expect(again.get(ref("settings"))).toEqual(store.get(ref("settings")));
  expect(again.revision).toBe(store.revision);
});

test("a write that changes nothing leaves the resource version alone", () => {
  const store = kubeStore();
  const made = store.apply(config("settings", { a: "1" }), { fieldManager: "me" });
  expect(store.apply(config("settings", { a: "1" }), { fieldManager: "me" })).toBe(made);
});

test("an update with an old resource version is refused", () => {
  const store = kubeStore();
  const first = store.create(config("settings", { a: "1" }));
  store.update({ ...first, data: { a: "2" } });
  expect(() => store.update({ ...first, data: { a: "3" } })).toThrow("the object has been modified");
});

test("apply keeps who owns which field, also after others wrote", () => {
  const store = kubeStore();
  store.apply(config("settings", { a: "1", b: "2" }), { fieldManager: "one" });
  store.apply(config("settings", { b: "2", c: "3" }), { fieldManager: "two" });
  store.patch(ref("settings"), "merge", { data: { a: "9" } }, { fieldManager: "editor" });
  expect(fieldsOf(store, "settings")).toEqual([
    ["one", "Apply", { "f:b": {} }],
    ["two", "Apply", { "f:b": {}, "f:c": {} }],
    ["editor", "Update", { "f:a": {} }],
  ]);
  // "b" stays: the other manager still wants it.
  const after = store.apply(config("settings", {}), { fieldManager: "one" });
  expect(after["data"]).toEqual({ a: "9", b: "2", c: "3" });
});

test("apply names every field in conflict and who owns it", () => {
  const store = kubeStore();
  store.apply(config("settings", { a: "1", b: "2" }), { fieldManager: "one" });
  const other = () => store.apply(config("settings", { a: "8", b: "9" }), { fieldManager: "two" });
  expect(other).toThrow('Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b');
});

test("apply merges containers by name and drops the one that is no longer wanted", () => {
  const store = kubeStore();
  const main = { name: "main", image: "app:1" };
  store.apply(pod([main, { name: "side", image: "side:1" }]), { fieldManager: "me" });
  store.patch(
    { ...ref("web"), kind: "Pod" },
    "strategic",
    { spec: { containers: [{ name: "main", env: [{ name: "A", value: "1" }] }] } },
    { fieldManager: "editor" },
  );
  const after = store.apply(pod([{ ...main, image: "app:2" }]), { fieldManager: "me" });
  expect(after["spec"]).toMatchObject({
    containers: [{ name: "main", image: "app:2", env: [{ name: "A", value: "1" }] }],
  });
  expect((after["spec"] as { containers: unknown[] }).containers).toHaveLength(1);
});

test("what finalizers hold stays until the last one is gone", () => {
  const store = kubeStore();
  store.create(config("held", {}, { finalizers: ["example.com/a"] }));
  expect(store.delete(ref("held")).metadata.deletionTimestamp).toBeDefined();
  expect(store.find(ref("held"))).toBeDefined();
  store.patch(ref("held"), "merge", { metadata: { finalizers: null } });
  expect(store.find(ref("held"))).toBeUndefined();
});

test("listeners hear of changes in their order even when one of them writes", () => {
  const store = kubeStore();
  const heard: string[] = [];
  const note = (change: Change) => heard.push(`${change.type} ${change.object.metadata.name}`);
  store.onChange((change) => {
    if (change.object.metadata.name === "first") store.create(config("second"));
  });
  store.onChange(note);
  store.create(config("first"));
  expect(heard).toEqual(["ADDED first", "ADDED second"]);
});

test("nothing is created in a namespace that does not exist, and names are checked", () => {
  const store = kubeStore();
  expect(() => store.create(config("x", {}, { namespace: "nowhere" }))).toThrow(
    'namespaces "nowhere" not found',
  );
  expect(() => store.create(config("Bad Name"))).toThrow("a lowercase RFC 1123 subdomain");
  expect(() => store.create({ apiVersion: "v1", kind: "Boat" })).toThrow('no matches for kind "Boat"');
});

test("changes older than what is remembered are gone", () => {
  const store = kubeStore({ revision: 100, objects: [] });
  expect(() => store.changesSince(99)).toThrow("too old resource version: 99 (100)");
  expect(store.changesSince(100)).toEqual([]);
});

test("selectors find by label and by field", () => {
  const store = kubeStore();
  store.create(config("one", {}, { labels: { app: "web", tier: "front" } }));
  store.create(config("two", {}, { labels: { app: "db" } }));
  const found = (labels: string) =>
    store.list({ apiVersion: "v1", kind: "ConfigMap", labels }).map((object) => object.metadata.name);
  expect(found("app=web")).toEqual(["one"]);
  expect(found("app in (web, db),!tier")).toEqual(["two"]);
  expect(found("app notin (web),app")).toEqual(["two"]);
  expect(found("tier!=front")).toEqual(["two"]);
  const query = { apiVersion: "v1", kind: "ConfigMap", fields: "metadata.name=one" };
  expect(store.list(query)).toHaveLength(1);
});
