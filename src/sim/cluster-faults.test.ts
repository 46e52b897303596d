import { expect, test } from "vitest";
import { clusterFaults } from "./cluster-faults.ts";
import { parseDatacenter } from "./datacenter-file.ts";

test("a fault strikes what it names: an image, a workload in any namespace, a node", () => {
  const faults = clusterFaults([
    { kind: "image-pull", image: "ghcr.io/acme/*", node: "worker-*" },
    { kind: "never-ready", workload: "web-*" },
  ]);
  const pull = (image: string, node: string) => faults.find("image-pull", { image, node }) !== undefined;
  expect([
    pull("ghcr.io/acme/a:1", "worker-2"),
    pull("ghcr.io/acme/a:1", "cp-1"),
    pull("nginx:1", "worker-2"),
  ]).toEqual([true, false, false]);
  expect(faults.find("never-ready", { workload: "shop/web-5d9" })).toBeDefined();
  expect(faults.find("never-ready", { workload: "shop/db-0" })).toBeUndefined();
});

test("a broken path between two nodes is broken both ways, and other paths are not", () => {
  const faults = clusterFaults([{ kind: "pod-network-broken", node: "a", peer: "b" }]);
  const isBroken = (node: string, peer: string) =>
    faults.find("pod-network-broken", { node, peer }) !== undefined;
  expect([isBroken("a", "b"), isBroken("b", "a"), isBroken("a", "c"), isBroken("c", "b")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("faults come and go, and those who care are told", () => {
  const faults = clusterFaults();
  let told = 0;
  const stop = faults.onChange(() => (told += 1));
  faults.add({ kind: "dns-broken" }, { kind: "etcd-slow" });
  faults.clear("dns-broken");
  stop();
  faults.clear();
  expect(told).toBe(2);
  expect(faults.find("etcd-slow")).toBeUndefined();
});

test("the datacenter file names faults inside its clusters, and one it does not know is a mistake", () => {
  const file = (kind: string) => `nodes: { a: { cores: 4, memory: 8GiB } }
storages: {}
clusterFaults: [{ kind: ${kind}, node: worker-2 }]
`;
  expect(parseDatacenter(file("cni-not-ready"), "dc.yaml").clusterFaults).toEqual([
    { kind: "cni-not-ready", node: "worker-2" },
  ]);
  expect(() => parseDatacenter(file("cni-tired"), "dc.yaml")).toThrow(
    expect.objectContaining({ code: "SIM_DATACENTER_FILE", at: expect.objectContaining({ line: 3 }) }),
  );
});
