import { expect, test } from "vitest";
import { expectGolden } from "../../../test/support/golden.ts";
import type { Graph, MachineSteps } from "../../plan/index.ts";
import { isK3s, parseFleet, type K3sCluster } from "../../spec/index.ts";
import { describeK3s, describeLeftovers } from "./describe.ts";

function clusterOf(lines: string): K3sCluster {
  const text = `version: 1
hosts: { desk: { libvirt: {} } }
clusters:
  edge:
    image: { file: debian.qcow2 }
${lines}`;
  const parsed = parseFleet({ file: "slipway.yaml", text });
  const cluster = "fleet" in parsed ? parsed.fleet.clusters[0] : undefined;
  if (!cluster || !isK3s(cluster)) throw new Error(JSON.stringify(parsed));
  return cluster;
}

const small = clusterOf(`
    k3s: { version: 1.36.3+k3s1, user: debian }
    network: { cidr: 10.9.1.0/24, bridge: br0 }
    controlPlanes: { count: 1, address: .11 }
    workers: { count: 1, address: .21 }
`);
const large = clusterOf(`
    k3s: { version: 1.36.3+k3s1, user: debian, images: true, artifacts: { folder: ./k3s } }
    network: { cidr: 10.9.1.0/24, bridge: br0, vip: .10, hosts: { rancher.lab: .50 } }
    controlPlanes: { count: 3, address: .11 }
    workers: { count: 2, address: .21, labels: { disk: ssd } }
`);

const machines = (existing: string[] = []): MachineSteps => ({
  stepOf: (node) => `edge/machine/${node}`,
  placeOf: () => ({ host: "pve", id: 100 }),
  existing,
});

/** One line a step: what it is and what it comes after. */
const inLines = (graph: Graph): string =>
  graph
    .map(({ id, kind, after }) => `${id} (${kind})${after.map((one) => `\n  after ${one}`).join("")}\n`)
    .join("");

test("one server and one agent: the agent comes when the API answers", () => {
  expectGolden(inLines(describeK3s(small, machines())), import.meta.dirname, "testdata/one-and-one.txt");
});

test("three servers with a VIP join one after another, agents all at once", () => {
  expectGolden(inLines(describeK3s(large, machines())), import.meta.dirname, "testdata/three-and-two.txt");
});

test("a plan holds no secret, and says where one belongs", () => {
  const nodes = describeK3s(large, machines()).filter(({ kind }) => kind === "k3s/node");
  const [first, , , agent] = nodes.map(({ want }) => want as { config: string });
  expect(first?.config).toContain("token: K10{ca-hash}::server:{token}");
  expect(first?.config).toMatch(/agent-token: .\{agent-token\}/);
  expect(agent?.config).toContain("token: K10{ca-hash}::node:{agent-token}");
});

test("where servers were there before, agents come after all of them", () => {
  const graph = describeK3s(large, machines(["cp-1", "cp-2", "cp-3", "worker-1"]));
  const agent = graph.find(({ id }) => id === "edge/node/worker-2");
  expect(agent?.after).toEqual([
    "edge/artifacts/worker-2",
    "edge/cluster/secrets",
    "edge/cluster/api",
    "edge/node/cp-1",
    "edge/node/cp-2",
    "edge/node/cp-3",
  ]);
  const first = graph.find(({ id }) => id === "edge/node/cp-1");
  expect(first?.want).toMatchObject({ isFirst: true, peers: [{ isKnown: true }, { isKnown: true }] });
});

test("a node leaves before its machine does", () => {
  const [leftover] = describeLeftovers(large, [{ node: "worker-3", role: "worker" }]);
  expect(leftover).toMatchObject({ id: "edge/leaving/worker-3", node: "worker-3", after: [] });
});
