import { expect, test } from "vitest";
import { checkGone, type WatchEvent } from "../../../src/clients/kube/index.ts";
import { configMap, labelled, newNamespace, refOfMap, until } from "../../support/kube/objects.ts";
import type { KubeSuite } from "../../support/kube/targets.ts";

/** Single objects, lists and watches. */
export function objectCases(suite: KubeSuite): void {
  test("apply makes an object, changes nothing the second time, and removes what is no longer wanted", async () => {
    const namespace = await newNamespace(suite.kube, "apply");
    const wanted = configMap(namespace, "settings", { ours: "1", old: "x" });
    const made = await suite.kube.apply(wanted);
    expect(made).toMatchObject({ data: { ours: "1", old: "x" }, metadata: { namespace } });
    const again = await suite.kube.apply(wanted);
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    const less = await suite.kube.apply(configMap(namespace, "settings", { ours: "1" }));
    expect(less["data"]).toEqual({ ours: "1" });
  });

  test("apply names who manages a field it may not change, and takes it over when forced", async () => {
    const namespace = await newNamespace(suite.kube, "conflict");
    await suite.kube.apply(configMap(namespace, "settings", { a: "1", b: "1" }), { fieldManager: "helm" });
    const ours = configMap(namespace, "settings", { a: "2", c: "3" });
    await expect(suite.kube.apply(ours)).rejects.toMatchObject({
      code: "KUBE_FIELDS_OWNED",
      why: 'somebody else set other values: "helm" manages .data.a',
    });
    const forced = await suite.kube.apply(ours, { isForced: true });
    expect(forced["data"]).toEqual({ a: "2", b: "1", c: "3" });
    const theirs = await suite.kube.apply(configMap(namespace, "settings", { b: "9" }), {
      fieldManager: "helm",
    });
    expect(theirs["data"]).toEqual({ a: "2", b: "9", c: "3" });
  });

  test("apply refuses fields the kind does not have, and a dry run keeps nothing", async () => {
    const namespace = await newNamespace(suite.kube, "strict");
    const mistyped = { ...configMap(namespace, "settings", {}), dta: { a: "1" } };
    await expect(suite.kube.apply(mistyped)).rejects.toMatchObject({
      code: "KUBE_FIELDS_UNKNOWN",
      transient: false,
      why: expect.stringContaining("dta") as string,
    });
    await expect(suite.kube.create(mistyped)).rejects.toMatchObject({
      code: "KUBE_FIELDS_UNKNOWN",
      why: expect.stringContaining('unknown field "dta"') as string,
    });
    const rehearsed = await suite.kube.apply(configMap(namespace, "settings", { a: "1" }), {
      isDryRun: true,
    });
    expect(rehearsed["data"]).toEqual({ a: "1" });
    expect(await suite.kube.get(refOfMap(namespace, "settings"))).toBeUndefined();
  });

  test("objects are created once, patched, and only the one that was meant is deleted", async () => {
    const namespace = await newNamespace(suite.kube, "plain");
    const ref = refOfMap(namespace, "settings");
    const made = await suite.kube.create(configMap(namespace, "settings", { a: "1" }));
    await expect(suite.kube.create(configMap(namespace, "settings", {}))).rejects.toMatchObject({
      code: "KUBE_ALREADY_EXISTS",
    });
    const patched = await suite.kube.patch(ref, { data: { a: null, b: "2" } });
    expect(patched["data"]).toEqual({ b: "2" });
    const stale = { data: { b: "3" }, metadata: { resourceVersion: made.metadata.resourceVersion } };
    await expect(suite.kube.patch(ref, stale)).rejects.toMatchObject({ code: "KUBE_CONFLICT" });
    await expect(
      suite.kube.delete(ref, { uid: "00000000-0000-4000-8000-000000000000" }),
    ).rejects.toMatchObject({
      code: "KUBE_CONFLICT",
    });
    expect(await suite.kube.delete(ref, { isDryRun: true })).toBe(true);
    expect(await suite.kube.delete(ref, { uid: made.metadata.uid ?? "" })).toBe(true);
    expect(await suite.kube.delete(ref)).toBe(false);
  });

  test("a list is read in pages, each object once, even while the server forgets its past", async () => {
    const namespace = await newNamespace(suite.kube, "pages");
    const names = Array.from({ length: 12 }, (_, at) => `map-${String(at).padStart(2, "0")}`);
    await Promise.all(
      names.map((name) => suite.kube.create(labelled(configMap(namespace, name, {}), "page"))),
    );
    const query = { apiVersion: "v1", kind: "ConfigMap", namespace, labels: "app=page", pageLength: 2 };
    const reading = suite.kube.list(query);
    for (let round = 0; round < 4; round += 1) {
      await suite.kube.patch(refOfMap(namespace, "map-00"), { data: { round: String(round) } });
      await suite.target.forget();
    }
    expect((await reading).items.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test("a watch resumes after a cut, and after the server forgot where it was, telling each change once", async () => {
    const namespace = await newNamespace(suite.kube, "watch");
    const watcher = await suite.connect();
    const ended = new AbortController();
    const seen: string[] = [];
    const query = { apiVersion: "v1", kind: "ConfigMap", namespace, labels: "app=watched" };
    const events = watcher.kube.watch(query, ended.signal);
    const next = async (count: number) => {
      for (let told = 0; told < count; told += 1) {
        const { value } = (await events.next()) as { value: WatchEvent };
        seen.push(`${value.type} ${value.object.metadata.name}`);
      }
    };
    const make = (name: string) => suite.kube.create(labelled(configMap(namespace, name, {}), "watched"));
    await make("first");
    await next(1);
    await make("second");
    await next(1);

    watcher.cut();
    await make("third");
    watcher.mend();
    await next(1);

    watcher.cut();
    await suite.kube.delete(refOfMap(namespace, "first"));
    await suite.kube.patch(refOfMap(namespace, "second"), { data: { changed: "yes" } });
    await make("fourth");
    await suite.target.forget();
    watcher.mend();
    await next(3);
    await make("fifth");
    await next(1);
    expect(seen.slice(0, 3)).toEqual(["ADDED first", "ADDED second", "ADDED third"]);
    // In the order of a new list, not in that of the changes: those are forgotten.
    expect(seen.slice(3, 6)).toEqual(["ADDED fourth", "MODIFIED second", "DELETED first"]);
    expect(seen.slice(6)).toEqual(["ADDED fifth"]);
    const waiting = events.next();
    ended.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  test("what an object owns goes before it, after it, or stays, as was asked", async () => {
    const namespace = await newNamespace(suite.kube, "owners");
    const family = async (name: string) => {
      const owner = await suite.kube.create(configMap(namespace, name, {}));
      const { uid = "" } = owner.metadata;
      const reference = { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
      const child = configMap(namespace, `${name}-child`, {});
      await suite.kube.create({ ...child, metadata: { ...child.metadata, ownerReferences: [reference] } });
      return { owner: refOfMap(namespace, name), child: refOfMap(namespace, `${name}-child`), uid };
    };
    const background = await family("background");
    const foreground = await family("foreground");
    const orphan = await family("orphan");
    await suite.kube.delete(background.owner, { propagation: "Background" });
    await suite.kube.delete(foreground.owner, { propagation: "Foreground" });
    await suite.kube.delete(orphan.owner, { propagation: "Orphan" });
    await until(() => checkGone(suite.kube, background.child));
    await until(() => checkGone(suite.kube, { ...foreground.owner, uid: foreground.uid }));
    expect(await suite.kube.get(foreground.child)).toBeUndefined();
    await until(() => checkGone(suite.kube, orphan.owner));
    expect(await suite.kube.get(orphan.child)).toBeDefined();
  });
}
