import { afterEach, expect, test } from "vitest";
import { testTime } from "../../../../test/support/test-time.ts";
import { kubeStore, registerNode, setNodeReady, type KubeStore } from "../index.ts";
import { holdControllers } from "./index.ts";

const { background, clock, until } = testTime();
let release = () => {};

afterEach(() => release());

function cluster(...nodes: string[]): KubeStore {
  const store = kubeStore(undefined, background);
  for (const name of nodes) addNode(store, name);
  release = holdControllers(store, background);
  return store;
}

function addNode(store: KubeStore, name: string): void {
  registerNode(store, {
    name,
    address: "10.0.0.1",
    isControlPlane: false,
    kubeletVersion: "1.36.3",
    osImage: "Talos (v1.13.9)",
    kernelVersion: "6.18.5-talos",
    containerRuntime: "containerd://2.1.5",
    cores: 2,
    memoryMiB: 2048,
  });
}

const agent = (hostNetwork: boolean) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { hostNetwork, containers: [{ name: "agent", image: "agent:1" }] },
    },
  },
});

const daemonRef = { apiVersion: "apps/v1", kind: "DaemonSet", namespace: "kube-system", name: "agent" };
const readyCount = (store: KubeStore) =>
  (store.get(daemonRef)["status"] as { numberReady?: number } | undefined)?.numberReady ?? 0;
const podsOf = (store: KubeStore) => store.list({ apiVersion: "v1", kind: "Pod" });

test("every namespace gets its default service account", async () => {
  const store = cluster();
  const account = { apiVersion: "v1", kind: "ServiceAccount", namespace: "team", name: "default" };
  store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  await until(() => store.find(account) !== undefined);
});

test("a namespace goes with all that is in it", async () => {
  const store = cluster();
  const ref = { apiVersion: "v1", kind: "Namespace", name: "team" };
  store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  store.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "team" } });
  expect(store.delete(ref)["status"]).toEqual({ phase: "Terminating" });
  await until(() => store.find(ref) === undefined);
  expect(store.list({ apiVersion: "v1", kind: "Secret" })).toEqual([]);
});

test("pods wait for a ready node, unless they bring the network themselves", async () => {
  const store = cluster("w-1", "w-2");
  store.create(agent(false));
  await until(() => podsOf(store).length === 2);
  expect(readyCount(store)).toBe(0);
  setNodeReady(store, "w-1", true);
  await until(() => readyCount(store) === 1);

  store.delete(daemonRef);
  await until(() => podsOf(store).length === 0);
  store.create(agent(true));
  await until(() => readyCount(store) === 2);
});

test("a daemon set follows nodes that come and go", async () => {
  const store = cluster("w-1");
  store.create(agent(true));
  await until(() => readyCount(store) === 1);
  addNode(store, "w-2");
  await until(() => readyCount(store) === 2);
  store.delete({ apiVersion: "v1", kind: "Node", name: "w-1" });
  await until(() => podsOf(store).length === 1);
});

test("controllers run once however many API servers hold them, and rest when nothing is to do", async () => {
  const store = cluster("w-1");
  const releaseSecond = holdControllers(store, background);
  setNodeReady(store, "w-1", true);
  store.create(agent(false));
  await until(() => readyCount(store) === 1);
  expect(podsOf(store)).toHaveLength(1);
  const { revision } = store;
  await clock.sleep(3_000);
  expect(store.revision).toBe(revision);
  releaseSecond();
});
