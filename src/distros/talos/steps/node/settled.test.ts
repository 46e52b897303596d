import { expect, test } from "vitest";
import type { Hop } from "../../upgrade/hops.ts";
import { objectionsOf } from "./settled.ts";

interface Said {
  kubernetes?: string;
  kubelet?: string;
  vip?: string;
}

const config = ({ kubernetes = "1.35.4", kubelet = kubernetes, vip = "10.8.0.9" }: Said = {}) => `machine:
  kubelet: { image: "ghcr.io/siderolabs/kubelet:v${kubelet}" }
  network: { interfaces: [{ interface: eth0, vip: { ip: "${vip}" } }] }
cluster:
  controlPlane: { endpoint: "https://10.8.0.9:6443" }
  apiServer: { image: "registry.k8s.io/kube-apiserver:v${kubernetes}" }
`;

const objections = (running: string, wanted: string, talos = { running: "1.13.9", wanted: "1.13.9" }) =>
  objectionsOf({ cluster: "lab", node: "cp-1", running, wanted, talos }).map(
    ({ topic, from, to, error }) => `${error.code} ${topic} ${from} → ${to}`,
  );

test("a version that follows on the one that runs is no matter of the config", () => {
  expect(objections(config(), config({ kubernetes: "1.36.3" }))).toEqual([]);
  expect(objections(config(), config(), { running: "1.12.11", wanted: "1.13.9" })).toEqual([]);
});

test("a node in the middle of an upgrade may go on, and not back", () => {
  const between = config({ kubernetes: "1.36.3", kubelet: "1.35.4" });
  expect(objections(between, config({ kubernetes: "1.36.3" }))).toEqual([]);
  expect(objections(between, config())).toEqual([
    "TALOS_KUBERNETES_SETTLED Kubernetes 1.35.4, 1.36.3 → 1.35.4",
  ]);
});

test("no minor is left out, and Kubernetes has to fit the Talos that comes", () => {
  expect(objections(config({ kubernetes: "1.33.6" }), config())).toEqual([
    "TALOS_KUBERNETES_SKIPPED Kubernetes 1.33.6 → 1.35.4",
  ]);
  expect(objections(config(), config(), { running: "1.11.6", wanted: "1.13.9" })).toEqual([
    "TALOS_MINOR_SKIPPED Talos 1.11.6 → 1.13.9",
  ]);
  const old = config({ kubernetes: "1.30.1" });
  expect(objections(old, old, { running: "1.12.11", wanted: "1.13.9" })).toEqual([
    "TALOS_KUBERNETES_UNFIT Talos 1.12.11 → 1.13.9",
  ]);
});

test("what comes before the wanted versions is counted as reached, and nothing else", () => {
  const old = config({ kubernetes: "1.30.1" });
  const hops: Hop[] = [
    { part: "kubernetes", version: "1.31.4" },
    { part: "talos", version: "1.13.9" },
    { part: "talos", version: "1.14.1" },
  ];
  const facts = { cluster: "lab", node: "cp-1", running: old, wanted: config({ kubernetes: "1.31.4" }) };
  const codes = (talos: string, over: Hop[]) =>
    objectionsOf({ ...facts, talos: { running: talos, wanted: "1.14.1" }, hops: over }).map(
      ({ error, from, to }) => `${error.code} ${from} → ${to}`,
    );
  expect(codes("1.12.11", hops)).toEqual(["TALOS_KUBERNETES_UNFIT 1.13.9 → 1.14.1"]);
  const whole: Hop[] = [...hops.slice(0, 2), { part: "kubernetes", version: "1.32.4" }, ...hops.slice(2)];
  facts.wanted = config({ kubernetes: "1.32.4" });
  expect(codes("1.12.11", whole)).toEqual([]);
  // One node among others that has come further already, and one that is further behind than was known.
  expect(codes("1.13.9", whole)).toEqual([]);
  expect(codes("1.11.6", whole)).toEqual(["TALOS_MINOR_SKIPPED 1.11.6 → 1.13.9"]);
});

test("another VIP is refused; one that a run which was cut has taken away for a moment is put back", () => {
  expect(objections(config({ vip: "10.8.0.7" }), config())).toEqual([
    "TALOS_NETWORK_SETTLED VIP 10.8.0.7 → 10.8.0.9",
  ]);
  expect(objections(config().replace(/, vip: \{[^}]*\}/, ""), config())).toEqual([]);
});
