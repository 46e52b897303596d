import { afterEach, beforeAll, expect, test } from "vitest";
import { dialDirect, realClock, realRandom, virtualTime, type Dial } from "../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../pki/index.ts";
import { faultBox, type Fault } from "../../sim/faults.ts";
import {
  kubeStore,
  registerNode,
  setNodeReady,
  startKubeApi,
  type KubeState,
  type KubeStore,
} from "../../sim/kube/index.ts";
import { mappedNetwork, type SimNetwork } from "../../sim/network.ts";
import {
  connectKube,
  isNodeReady,
  checkReady,
  readKubeconfig,
  type KubeClient,
  type KubeObject,
  type KubeOptions,
  type WatchEvent,
} from "./index.ts";

const host = "10.9.8.7";
const day = 86_400_000;
const validity = { notBefore: Date.now() - day, lifetimeMs: 2 * day, random: realRandom };
const atOnce = { imagePullMs: 0, podStartMs: 0 };
const settings = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default" },
};

let ca: Identity;
let admin: Identity;
let serving: Identity;
const opened: (() => unknown)[] = [];

beforeAll(async () => {
  ca = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  admin = await issueCertificate({
    authority: ca,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    ...validity,
  });
  serving = await issueCertificate({ authority: ca, usages: ["server"], addresses: [host], ...validity });
});

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

interface Setup {
  store: KubeStore;
  network: SimNetwork;
  client: KubeClient;
  stop(): Promise<void>;
  restart(saved?: KubeState): Promise<KubeStore>;
}

async function setUp(faults: Fault[] = [], options: Partial<KubeOptions> = {}): Promise<Setup> {
  const network = mappedNetwork();
  const box = faultBox(faults);
  const serve = async (store: KubeStore) => {
    const common = {
      network,
      host,
      port: 6443,
      store,
      clock: realClock,
      faults: box,
      version: "1.36.3",
      times: atOnce,
    };
    const api = await startKubeApi({ ...common, ...serving, clientCa: ca.cert });
    opened.push(() => api.close());
    return api;
  };
  const store = kubeStore();
  let api = await serve(store);
  const access = { server: `https://${host}:6443`, ca: ca.cert, ...admin };
  const client = connectKube({ clock: realClock, kubeconfig: access, dial: network.dial, ...options });
  opened.push(() => client.close());
  return {
    store,
    network,
    client,
    stop: () => api.close(),
    async restart(saved) {
      const next = saved ? kubeStore(saved) : store;
      api = await serve(next);
      return next;
    },
  };
}

const facts = {
  name: "cp-1",
  address: host,
  isControlPlane: true,
  kubeletVersion: "1.36.3",
  osImage: "Talos (v1.13.9)",
  kernelVersion: "6.18.5-talos",
  containerRuntime: "containerd://2.1.5",
  cores: 2,
  memoryMiB: 2048,
};

test("a connection that nobody uses is closed in time of the clock it was given, and the next call makes another", async () => {
  const { network, client: other } = await setUp();
  other.close();
  const sockets: Awaited<ReturnType<Dial>>[] = [];
  const dial: Dial = async (...to) => {
    const socket = await network.dial(...to);
    sockets.push(socket);
    return socket;
  };
  const kubeconfig = { server: `https://${host}:6443`, ca: ca.cert, ...admin };
  const { clock } = virtualTime();
  const client = connectKube({ clock, kubeconfig, dial });
  opened.push(() => client.close());
  const isDestroyed = () => sockets.map(({ destroyed }) => destroyed);
  await client.version();
  await clock.sleep(59_000);
  await client.version();
  await clock.sleep(59_000);
  expect(isDestroyed()).toEqual([false]);
  await clock.sleep(1_500);
  expect(isDestroyed()).toEqual([true]);
  expect(await client.version()).toBe("v1.36.3");
  expect(sockets).toHaveLength(2);
});

test("the client reads version, readiness and nodes with the access of a kubeconfig", async () => {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const kubeconfig = `
current-context: admin@lab
contexts: [{ name: admin@lab, context: { cluster: lab, user: admin@lab } }]
clusters: [{ name: lab, cluster: { server: "https://${host}:6443", certificate-authority-data: ${encode(ca.cert)} } }]
users: [{ name: admin@lab, user: { client-certificate-data: ${encode(admin.cert)}, client-key-data: ${encode(admin.key)} } }]
`;
  const { store, client } = await setUp([], { kubeconfig });
  registerNode(store, facts);
  expect(await client.version()).toBe("v1.36.3");
  expect(await client.isReady()).toBe(true);
  expect((await client.nodes()).map(isNodeReady)).toEqual([false]);
  setNodeReady(store, "cp-1", true);
  expect((await client.nodes()).map(isNodeReady)).toEqual([true]);
  expect(await client.deleteNode("cp-1")).toBe(true);
  expect(await client.deleteNode("cp-1")).toBe(false);
});

test("apply makes, merges, removes what it no longer wants, and leaves others' fields alone", async () => {
  const { store, client } = await setUp();
  await client.apply({ ...settings, data: { ours: "1", old: "x" } });
  store.patch(
    { ...settings, ...settings.metadata },
    "merge",
    { data: { theirs: "2" } },
    { fieldManager: "them" },
  );
  const merged = await client.apply({ ...settings, data: { ours: "3" } });
  expect(merged["data"]).toEqual({ ours: "3", theirs: "2" });
  await expect(client.apply({ ...settings, data: { theirs: "9" } })).rejects.toMatchObject({
    code: "KUBE_FIELDS_OWNED",
    transient: false,
    why: 'somebody else set other values: "them" manages .data.theirs',
  });
  const forced = await client.apply({ ...settings, data: { theirs: "9" } }, { isForced: true });
  expect(forced["data"]).toEqual({ theirs: "9" });
});

test("objects are created, read, patched, listed by label and deleted", async () => {
  const { client } = await setUp();
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "settings" };
  expect(await client.get(ref)).toBeUndefined();
  await client.create({ ...settings, data: { a: "1" } });
  await expect(client.create(settings)).rejects.toMatchObject({ code: "KUBE_ALREADY_EXISTS" });
  await client.patch(ref, { metadata: { labels: { app: "web" } }, data: { a: null, b: "2" } });
  const { items } = await client.list({ apiVersion: "v1", kind: "ConfigMap", labels: "app=web" });
  expect(items).toMatchObject([{ kind: "ConfigMap", metadata: { name: "settings" }, data: { b: "2" } }]);
  expect(await client.delete(ref)).toBe(true);
  expect(await client.get(ref)).toBeUndefined();
});

test("what a pod printed is read, all of it or its last lines", async () => {
  const { store, client } = await setUp();
  registerNode(store, facts);
  setNodeReady(store, "cp-1", true);
  const pod = { namespace: "kube-system", name: "talker" };
  const container = { name: "main", image: "busybox:1", command: ["sh", "-c", "echo one; echo two"] };
  const spec = { hostNetwork: true, restartPolicy: "Never", nodeName: "cp-1", containers: [container] };
  await client.create({ apiVersion: "v1", kind: "Pod", metadata: pod, spec });
  const ref = { apiVersion: "v1", kind: "Pod", ...pod };
  await expect.poll(() => checkReady(client, ref)).toMatchObject({ done: true });
  expect(await client.logs(pod)).toBe("one\ntwo\n");
  expect(await client.logs(pod, { container: "main", tailLines: 1 })).toBe("two\n");
  await expect(client.logs({ ...pod, name: "nobody" })).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
});

test("a kind the cluster does not serve is named", async () => {
  const { client } = await setUp();
  const boat = { apiVersion: "sea.example.com/v1", kind: "Boat", metadata: { name: "ida" } };
  await expect(client.apply(boat)).rejects.toMatchObject({ code: "KUBE_KIND_UNKNOWN" });
});

test("each failure becomes one error that names the call and says whether to try again", async () => {
  const at = (kind: Fault["kind"], times = 1): Fault => ({ call: "kube GET /version", kind, times });
  // An idle connection that is cut at its reuse is tried once more, so the first cut has to come twice.
  const { client } = await setUp(
    [at("error"), at("unreachable"), at("lock", 5), at("refuse", 2), at("die"), at("hang")],
    { timeoutMs: 60_000, clock: virtualTime().clock },
  );
  const what = "Cannot read the version in Kubernetes";
  const failure = (code: string) => ({ code, what, transient: true });
  await expect(client.version()).rejects.toMatchObject(failure("KUBE_SERVER_ERROR"));
  await expect(client.version()).rejects.toMatchObject(failure("KUBE_SERVER_ERROR"));
  await expect(client.version()).rejects.toMatchObject(failure("KUBE_BUSY"));
  await expect(client.version()).rejects.toMatchObject(failure("KUBE_UNREACHABLE"));
  await expect(client.version()).rejects.toMatchObject(failure("KUBE_UNREACHABLE"));
  await expect(client.version()).rejects.toMatchObject(failure("KUBE_TIMEOUT"));
  expect(await client.version()).toBe("v1.36.3");
});

test("a call that the server puts off is sent again after the time it asked for", async () => {
  const pauses: number[] = [];
  const clock = { ...realClock, sleep: async (ms: number) => void pauses.push(ms) };
  const { client } = await setUp([{ call: "kube GET /version", kind: "lock", times: 3 }], { clock });
  expect(await client.version()).toBe("v1.36.3");
  expect(pauses).toEqual([1_000, 1_000, 1_000]);
});

test("a server that is down or does not answer the dial is unreachable, not a hang", async () => {
  const { client, stop } = await setUp();
  await stop();
  await expect(client.isReady()).rejects.toMatchObject({ code: "KUBE_UNREACHABLE", transient: true });
  const blackHole: Dial = (_to, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const { client: waiting } = await setUp([], { dial: blackHole, timeoutMs: 200 });
  await expect(waiting.isReady()).rejects.toMatchObject({ transient: true });
});

test("a server with another cluster's certificate is not trusted", async () => {
  const other = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const kubeconfig = { server: `https://${host}:6443`, ca: other.cert, ...admin };
  const { client } = await setUp([], { kubeconfig });
  await expect(client.version()).rejects.toMatchObject({ code: "KUBE_UNTRUSTED", transient: false });
});

test("a client certificate of another authority is refused", async () => {
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const stranger = await issueCertificate({
    authority,
    commonName: "admin",
    usages: ["client"],
    ...validity,
  });
  const kubeconfig = { server: `https://${host}:6443`, ca: ca.cert, ...stranger };
  const { client } = await setUp([], { kubeconfig });
  await expect(client.nodes()).rejects.toMatchObject({ code: "KUBE_UNAUTHORIZED", transient: false });
});

test("the caller's abort ends a call with the caller's own reason", async () => {
  const { client } = await setUp([{ call: "kube GET /version", kind: "hang" }]);
  const stop = new AbortController();
  const asked = client.version(stop.signal);
  const reason = new Error("Ctrl-C");
  stop.abort(reason);
  await expect(asked).rejects.toBe(reason);
});

test("a watch goes on over cut connections and over a server that forgot where it was", async () => {
  const { store, client, stop, restart } = await setUp();
  const ended = new AbortController();
  const seen: string[] = [];
  const trim = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({ apiVersion, kind, metadata });
  const events = client.watch({ apiVersion: "v1", kind: "ConfigMap" }, ended.signal, { trim });
  const next = async () => {
    const { value } = (await events.next()) as { value: WatchEvent };
    seen.push(
      `${value.type} ${value.object.metadata.name}${"data" in value.object ? " with all it holds" : ""}`,
    );
  };
  const make = (on: KubeStore, name: string) =>
    on.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { large: "x" } });

  make(store, "first");
  await next();
  make(store, "second");
  await next();
  await stop();
  make(store, "third");
  await restart();
  await next();
  await stop();
  // A new process remembers the objects but not the changes that led to them: the watch gets a 410 and lists again.
  const later = kubeStore(JSON.parse(JSON.stringify(store)) as KubeState);
  later.delete({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "first" });
  make(later, "fourth");
  const last = await restart(JSON.parse(JSON.stringify(later)) as KubeState);
  await next();
  await next();
  make(last, "fifth");
  await next();
  expect(seen).toEqual([
    "ADDED first",
    "ADDED second",
    "ADDED third",
    "ADDED fourth",
    "DELETED first",
    "ADDED fifth",
  ]);
  const waiting = events.next();
  ended.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

test("a kubeconfig with a token needs no certificate; one that wants a program run is refused", () => {
  const text = (user: string) => `
current-context: a
contexts: [{ name: a, context: { cluster: b, user: c } }]
clusters: [{ name: b, cluster: { server: "https://x:6443", certificate-authority-data: Q0E= } }]
users: [{ name: c, user: ${user} }]`;
  expect(readKubeconfig(text("{ token: hush }"))).toEqual({
    server: "https://x:6443",
    ca: "CA",
    token: "hush",
  });
  expect(() => readKubeconfig(text("{ exec: { command: get-token } }"))).toThrow('the program "get-token"');
  expect(() => readKubeconfig(text("{}"))).toThrow('user "c" has no client-certificate-data');
});

test("a kubeconfig without embedded certificates is refused without showing its content", () => {
  const dial = dialDirect;
  const text =
    "current-context: a\ncontexts: [{name: a, context: {cluster: b, user: c}}]\nusers: [{name: c, user: {token: hush}}]";
  expect(() => connectKube({ clock: realClock, kubeconfig: text, dial })).toThrow(
    'cluster "b" has no server',
  );
  expect(() => connectKube({ clock: realClock, kubeconfig: "a: [hush", dial })).toThrow("it is not YAML");
});
