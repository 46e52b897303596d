import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubeApiserver, howToGetKubeApiserver } from "../support/kube-apiserver.ts";
import {
  startRealKube,
  startSimulatedKube,
  type CuttableKube,
  type KubeTarget,
} from "../support/kube-targets.ts";
import {
  budget,
  agentDeployment,
  configMap,
  deadWebhook,
  definedBoat,
  eventually,
  labelled,
  madeNode,
  newNamespace,
  pod,
  refOfMap,
  until,
} from "../support/kube-objects.ts";
import { certificateRequest } from "../support/certificate-requests.ts";
import { realClock } from "../../src/lib/index.ts";
import { readCertificateRequest } from "../../src/pki/index.ts";
import {
  drainNode,
  lookGone,
  lookReady,
  planDrain,
  refOf,
  servingObjection,
  type KubeClient,
  type KubeSigningRequest,
  type WatchEvent,
} from "../../src/clients/kube/index.ts";

const isThere = findKubeApiserver() !== undefined;

describe("the Kubernetes client on the simulated API server", () => {
  clientSuite(startSimulatedKube);
});

describe.skipIf(!isThere)(
  `the Kubernetes client on the real kube-apiserver; ${howToGetKubeApiserver}`,
  () => {
    clientSuite(startRealKube);
  },
);

/** What holds on every API server. */
function clientSuite(start: () => Promise<KubeTarget>): void {
  let target: KubeTarget;
  let admin: CuttableKube;
  let kube: KubeClient;
  const opened: CuttableKube[] = [];
  const connect = async (as?: { user: string; groups: string[] }) => {
    const client = await target.connect(as);
    opened.push(client);
    return client;
  };

  beforeAll(async () => {
    target = await start();
    admin = await connect();
    kube = admin.kube;
  }, 60_000);

  afterAll(async () => {
    for (const client of opened) client.kube.close();
    await target?.stop();
  });

  test("apply makes an object, changes nothing the second time, and removes what is no longer wanted", async () => {
    const namespace = await newNamespace(kube, "apply");
    const wanted = configMap(namespace, "settings", { ours: "1", old: "x" });
    const made = await kube.apply(wanted);
    expect(made).toMatchObject({ data: { ours: "1", old: "x" }, metadata: { namespace } });
    const again = await kube.apply(wanted);
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    const less = await kube.apply(configMap(namespace, "settings", { ours: "1" }));
    expect(less["data"]).toEqual({ ours: "1" });
  });

  test("apply names who manages a field it may not change, and takes it over when forced", async () => {
    const namespace = await newNamespace(kube, "conflict");
    await kube.apply(configMap(namespace, "settings", { a: "1", b: "1" }), { fieldManager: "helm" });
    const ours = configMap(namespace, "settings", { a: "2", c: "3" });
    await expect(kube.apply(ours)).rejects.toMatchObject({
      code: "KUBE_FIELDS_OWNED",
      why: 'other values stand there, and somebody else set them: "helm" manages .data.a',
    });
    const forced = await kube.apply(ours, { isForced: true });
    expect(forced["data"]).toEqual({ a: "2", b: "1", c: "3" });
    const theirs = await kube.apply(configMap(namespace, "settings", { b: "9" }), { fieldManager: "helm" });
    expect(theirs["data"]).toEqual({ a: "2", b: "9", c: "3" });
  });

  test("apply refuses fields the kind does not have, and a dry run keeps nothing", async () => {
    const namespace = await newNamespace(kube, "strict");
    const mistyped = { ...configMap(namespace, "settings", {}), dta: { a: "1" } };
    await expect(kube.apply(mistyped)).rejects.toMatchObject({
      code: "KUBE_FIELDS_UNKNOWN",
      transient: false,
      why: expect.stringContaining("dta") as string,
    });
    await expect(kube.create(mistyped)).rejects.toMatchObject({
      code: "KUBE_FIELDS_UNKNOWN",
      why: expect.stringContaining('unknown field "dta"') as string,
    });
    const rehearsed = await kube.apply(configMap(namespace, "settings", { a: "1" }), { isDryRun: true });
    expect(rehearsed["data"]).toEqual({ a: "1" });
    expect(await kube.get(refOfMap(namespace, "settings"))).toBeUndefined();
  });

  test("objects are created once, patched, and only the one that was meant is deleted", async () => {
    const namespace = await newNamespace(kube, "plain");
    const ref = refOfMap(namespace, "settings");
    const made = await kube.create(configMap(namespace, "settings", { a: "1" }));
    await expect(kube.create(configMap(namespace, "settings", {}))).rejects.toMatchObject({
      code: "KUBE_ALREADY_EXISTS",
    });
    const patched = await kube.patch(ref, { data: { a: null, b: "2" } });
    expect(patched["data"]).toEqual({ b: "2" });
    const stale = { data: { b: "3" }, metadata: { resourceVersion: made.metadata.resourceVersion } };
    await expect(kube.patch(ref, stale)).rejects.toMatchObject({ code: "KUBE_CONFLICT" });
    await expect(kube.delete(ref, { uid: "00000000-0000-4000-8000-000000000000" })).rejects.toMatchObject({
      code: "KUBE_CONFLICT",
    });
    expect(await kube.delete(ref, { isDryRun: true })).toBe(true);
    expect(await kube.delete(ref, { uid: made.metadata.uid ?? "" })).toBe(true);
    expect(await kube.delete(ref)).toBe(false);
  });

  test("a list is read in pages, each object once, even while the server forgets its past", async () => {
    const namespace = await newNamespace(kube, "pages");
    const names = Array.from({ length: 12 }, (_, at) => `map-${String(at).padStart(2, "0")}`);
    await Promise.all(names.map((name) => kube.create(labelled(configMap(namespace, name, {}), "page"))));
    const query = { apiVersion: "v1", kind: "ConfigMap", namespace, labels: "app=page", pageLength: 2 };
    const reading = kube.list(query);
    for (let round = 0; round < 4; round += 1) {
      await kube.patch(refOfMap(namespace, "map-00"), { data: { round: String(round) } });
      await target.forget();
    }
    expect((await reading).items.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  test("a watch resumes after a cut, and after the server forgot where it was, telling each change once", async () => {
    const namespace = await newNamespace(kube, "watch");
    const watcher = await connect();
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
    const make = (name: string) => kube.create(labelled(configMap(namespace, name, {}), "watched"));
    await make("first");
    await next(1);
    await make("second");
    await next(1);

    watcher.cut();
    await make("third");
    watcher.mend();
    await next(1);

    watcher.cut();
    await kube.delete(refOfMap(namespace, "first"));
    await kube.patch(refOfMap(namespace, "second"), { data: { changed: "yes" } });
    await make("fourth");
    await target.forget();
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
    const namespace = await newNamespace(kube, "owners");
    const family = async (name: string) => {
      const owner = await kube.create(configMap(namespace, name, {}));
      const { uid = "" } = owner.metadata;
      const reference = { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
      const child = configMap(namespace, `${name}-child`, {});
      await kube.create({ ...child, metadata: { ...child.metadata, ownerReferences: [reference] } });
      return { owner: refOfMap(namespace, name), child: refOfMap(namespace, `${name}-child`), uid };
    };
    const background = await family("background");
    const foreground = await family("foreground");
    const orphan = await family("orphan");
    await kube.delete(background.owner, { propagation: "Background" });
    await kube.delete(foreground.owner, { propagation: "Foreground" });
    await kube.delete(orphan.owner, { propagation: "Orphan" });
    await until(() => lookGone(kube, background.child));
    await until(() => lookGone(kube, { ...foreground.owner, uid: foreground.uid }));
    expect(await kube.get(foreground.child)).toBeUndefined();
    await until(() => lookGone(kube, orphan.owner));
    expect(await kube.get(orphan.child)).toBeDefined();
  });

  test("eviction keeps a disruption budget, and a dry run of it takes nothing away", async () => {
    const namespace = await newNamespace(kube, "evict");
    await madeNode(kube, "evict-1");
    await kube.create(budget(namespace, "web", 1));
    const pods = [
      await pod(kube, namespace, "web-1", "evict-1"),
      await pod(kube, namespace, "web-2", "evict-1"),
    ];
    const [first, second] = pods.map(({ metadata }) => ({ namespace, name: metadata.name }));
    if (!first || !second) throw new Error("no pods");
    await eventually(() => kube.evict(first, { isDryRun: true }));
    expect(await kube.get({ apiVersion: "v1", kind: "Pod", ...first })).toBeDefined();
    await kube.evict(first);
    await until(() => lookGone(kube, { apiVersion: "v1", kind: "Pod", ...first }));
    await expect(kube.evict(second)).rejects.toMatchObject({
      code: "KUBE_EVICTION_HELD",
      transient: true,
      what: `Cannot evict Pod "${namespace}/web-2" in Kubernetes`,
      why: expect.stringContaining("budget") as string,
    });
    await expect(kube.evict({ namespace, name: "nobody" })).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
    await kube.create(budget(namespace, "web-too", 0));
    await expect(kube.evict(second)).rejects.toMatchObject({
      code: "KUBE_BUDGETS_OVERLAP",
      transient: false,
    });
  });

  test("a drain says first what it would do, keeps budgets until its deadline, and then empties the node", async () => {
    const namespace = await newNamespace(kube, "drain");
    const node = "drain-1";
    await madeNode(kube, node);
    await kube.create(budget(namespace, "web", 1));
    const managed = { isManaged: true };
    await pod(kube, namespace, "web-1", node, managed);
    await pod(kube, namespace, "scratch", node, { ...managed, app: "other", hasScratch: true });
    await pod(kube, namespace, "lonely", node, { app: "other" });
    await pod(kube, namespace, "static", node, { app: "other", isMirror: true });
    const plan = await eventually(async () => {
      const found = await planDrain(kube, node);
      expect(found.held).toMatchObject([{ pod: `${namespace}/web-1` }]);
      expect(found.held[0]?.why).toMatch(/needs 1 healthy/);
      return found;
    });
    expect(plan.leave.map((word) => word.pod)).toEqual([`${namespace}/static`]);
    expect(plan.refuse.map((word) => word.pod).toSorted()).toEqual([
      `${namespace}/lonely`,
      `${namespace}/scratch`,
    ]);
    const clock = realClock;
    await expect(drainNode(kube, node, { clock, deadlineMs: 1_000 })).rejects.toMatchObject({
      code: "KUBE_DRAIN_REFUSED",
      why: expect.stringContaining(`${namespace}/lonely: nothing would make it again`) as string,
    });
    const allowed = { clock, mayLoseScratch: true, mayLoseUnmanaged: true };
    await expect(drainNode(kube, node, { ...allowed, deadlineMs: 200 })).rejects.toMatchObject({
      code: "KUBE_DRAIN_BLOCKED",
      why: expect.stringMatching(new RegExp(`${namespace}/web-1: .*budget web`)) as string,
    });
    await kube.delete({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", namespace, name: "web" });
    const gone = await eventually(() => drainNode(kube, node, { ...allowed, deadlineMs: 5_000 }));
    expect(gone).toEqual([`${namespace}/web-1`]);
    const left = await kube.list({ apiVersion: "v1", kind: "Pod", fields: `spec.nodeName=${node}` });
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(["static"]);
    const [drained] = (await kube.nodes()).filter(({ metadata }) => metadata.name === node);
    expect(drained?.spec?.unschedulable).toBe(true);
  });

  test("signing requests of kubelets are approved when honest and refused for every kind of lie", async () => {
    const worker = { user: "system:node:worker-1", groups: ["system:nodes"] };
    const { kube: kubelet } = await connect(worker);
    const nodes = [{ name: "worker-1", addresses: ["10.0.0.20"] }];
    const honest = {
      subject: "O=system:nodes, CN=system:node:worker-1",
      ips: ["10.0.0.20"],
      dns: ["worker-1"],
    };
    const usages = ["digital signature", "server auth"];
    const asked: Record<string, { by?: KubeClient; usages?: string[]; request: typeof honest }> = {
      honest: { request: honest },
      "another-address": { request: { ...honest, ips: ["10.0.0.99"] } },
      "another-name": { request: { ...honest, dns: ["kubernetes.default"] } },
      "nobodys-name": { request: honest, by: kube },
      "encipherment-too": { request: honest, usages: [...usages, "key encipherment"] },
      "client-too": { request: honest, usages: [...usages, "client auth"] },
      "no-server": { request: honest, usages: ["digital signature"] },
    };
    const verdicts: Record<string, string | undefined> = {};
    for (const [name, { by = kubelet, usages: wanted = usages, request }] of Object.entries(asked)) {
      const made = await by.create<KubeSigningRequest>({
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name },
        spec: {
          request: Buffer.from(await certificateRequest(request)).toString("base64"),
          signerName: "kubernetes.io/kubelet-serving",
          usages: wanted,
        },
      });
      const contents = await readCertificateRequest(Buffer.from(made.spec.request, "base64").toString());
      verdicts[name] = servingObjection(made, contents, nodes);
    }
    expect(verdicts).toEqual({
      honest: undefined,
      "another-address": "it asks for 10.0.0.99, which is not its own",
      "another-name": "it asks for kubernetes.default, which is not its own",
      "nobodys-name": "it is not a node that asks for its own serving certificate",
      "encipherment-too": undefined,
      "client-too": "it asks for the usages client auth,digital signature,server auth",
      "no-server": "it asks for the usages digital signature",
    });
    const query = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
    const { items } = await kube.list<KubeSigningRequest>(query);
    const [request] = items.filter(({ metadata }) => metadata.name === "honest");
    if (!request) throw new Error("the request is not listed");
    const why = { reason: "SlipwayApproved", message: "its node is in the cluster file" };
    const stale = {
      ...request,
      metadata: { ...request.metadata, uid: "00000000-0000-4000-8000-000000000000" },
    };
    await expect(kube.approveCertificate(stale, why)).rejects.toMatchObject({ code: "KUBE_INVALID" });
    await kube.approveCertificate(request, why);
    const approved = await eventually(async () => {
      const found = await kube.get<KubeSigningRequest>(refOf(request));
      expect(found?.status?.certificate).toBeDefined();
      return found;
    });
    expect(approved?.status?.conditions).toMatchObject([{ type: "Approved", status: "True", ...why }]);
  });

  test("the server says what a user may do, and holds to it", async () => {
    const { kube: guest } = await connect({ user: "guest", groups: [] });
    const question = { verb: "list", resource: "secrets", namespace: "kube-system" };
    expect(await kube.mayI(question)).toMatchObject({ isAllowed: true });
    expect(await guest.mayI(question)).toMatchObject({ isAllowed: false });
    await expect(guest.list({ apiVersion: "v1", kind: "Secret" })).rejects.toMatchObject({
      code: "KUBE_FORBIDDEN",
      transient: false,
      why: expect.stringContaining('"guest" cannot list') as string,
    });
  });

  test("nothing new comes into a namespace that goes, and what holds it is told", async () => {
    const namespace = await newNamespace(kube, "going");
    const held = configMap(namespace, "held", {});
    await kube.create({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/hold"] } });
    const ref = { apiVersion: "v1", kind: "Namespace", name: namespace };
    expect(await kube.delete(ref)).toBe(true);
    await expect(kube.create(configMap(namespace, "late", {}))).rejects.toMatchObject({
      code: "KUBE_NAMESPACE_TERMINATING",
      transient: true,
    });
    const map = refOfMap(namespace, "held");
    // The real namespace controller would come to this only after five seconds of grace.
    await kube.delete(map);
    expect(await lookGone(kube, map)).toMatchObject({
      done: false,
      seen: `ConfigMap "${namespace}/held" waits for its finalizers: example.com/hold`,
    });
    expect(await lookGone(kube, ref)).toMatchObject({
      done: false,
      seen: expect.stringContaining(`Namespace "${namespace}" is being`) as string,
    });
    await kube.patch(map, { metadata: { finalizers: null } });
    await until(() => lookGone(kube, map));
  });

  test("a workload whose pods Pod Security refuses says so, though there is no pod to look at", async () => {
    const namespace = await newNamespace(kube, "secure", "baseline");
    await expect(pod(kube, namespace, "agent", "nowhere")).rejects.toMatchObject({
      code: "KUBE_POD_SECURITY",
      transient: false,
    });
    const agent = agentDeployment(namespace, "agent");
    await kube.apply(agent);
    await eventually(async () => {
      expect(await lookReady(kube, refOf(agent))).toMatchObject({
        done: false,
        cause: expect.stringMatching(
          /agent: no pod could be made: FailedCreate: .*violates PodSecurity/,
        ) as string,
      });
    });
    await kube.delete(refOf(agent));
  });

  test("a webhook that does not answer is named as what is in the way", async () => {
    const namespace = await newNamespace(kube, "gate");
    const webhook = deadWebhook(`gate-${namespace}`, namespace);
    await kube.apply(webhook);
    await eventually(() =>
      expect(kube.create({ ...configMap(namespace, "late", {}) })).rejects.toMatchObject({
        code: "KUBE_WEBHOOK_DOWN",
        transient: true,
        why: expect.stringContaining("gate.example.com") as string,
      }),
    );
    await kube.delete(refOf(webhook));
  });

  test("a kind that comes while we run is found, its fields are checked, and it goes with its definition", async () => {
    const boat = (spec: object) => ({
      apiVersion: "sea.example.com/v1",
      kind: "Boat",
      metadata: { name: "ida", namespace: "default" },
      spec,
    });
    await expect(kube.apply(boat({ length: 7 }))).rejects.toMatchObject({ code: "KUBE_KIND_UNKNOWN" });
    expect(await kube.get(refOf(boat({})))).toBeUndefined();
    const definition = await definedBoat(kube);
    await until(() => lookReady(kube, refOf(definition)));
    const made = await eventually(() => kube.apply(boat({ length: 7 })));
    expect(made["spec"]).toEqual({ length: 7 });
    await expect(kube.apply(boat({ length: 7, colour: "red" }))).rejects.toMatchObject({
      code: "KUBE_FIELDS_UNKNOWN",
      why: expect.stringContaining("colour") as string,
    });
    await expect(kube.apply(boat({ length: "long" }))).rejects.toMatchObject({ code: "KUBE_INVALID" });
    const kinds = await kube.kinds();
    expect(kinds).toContainEqual(expect.objectContaining({ kind: "Deployment", isNamespaced: true }));
    await kube.delete(refOf(definition));
    await until(() => lookGone(kube, refOf(definition)));
  });
}
