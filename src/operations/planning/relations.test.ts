import { expect, test } from "vitest";
import type { GraphNode, Stage } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { afterOthers, inReverse } from "./relations.ts";

const step = (id: string, stage: Stage, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  kind: "thing",
  name: id,
  want: {},
  after: [],
  group: "nodes",
  stage,
  cluster: id.split("/")[0] ?? "",
  ...more,
});

const manager = [
  step("manager/machine/cp-1", "machines", { node: "cp-1" }),
  step("manager/node/cp-1", "distro", { node: "cp-1", after: ["manager/machine/cp-1"] }),
  step("manager/addon/rancher", "addons", { after: ["manager/node/cp-1"] }),
];
const apps = [
  step("apps/machine/cp-1", "machines", { node: "cp-1" }),
  step("apps/system/cp-1", "distro", { node: "cp-1", comesByItself: true, after: ["apps/machine/cp-1"] }),
  step("apps/node/cp-1", "distro", { node: "cp-1", after: ["apps/system/cp-1"] }),
];
const cluster = (name: string, more: Partial<Cluster> = {}) => ({ name, ...more }) as Cluster;

test("Kubernetes waits for the clusters it depends on, machines and their systems do not", () => {
  const graphs = new Map([["manager", manager]]);
  const waiting = afterOthers(cluster("apps", { dependsOn: ["manager"] }), apps, graphs);
  expect(waiting.map(({ id, after }) => [id, after])).toEqual([
    ["apps/machine/cp-1", []],
    ["apps/system/cp-1", ["apps/machine/cp-1"]],
    ["apps/node/cp-1", ["apps/system/cp-1", "manager/addon/rancher"]],
  ]);
});

test("a cluster that is not part of the run is not waited for", () => {
  expect(afterOthers(cluster("apps", { dependsOn: ["manager"] }), apps, new Map())).toEqual(apps);
});

test("who depends on a cluster, or is managed by it, goes before it", () => {
  const clusters = [
    cluster("manager"),
    cluster("apps", { dependsOn: ["manager"] }),
    cluster("edge", {
      registerWith: { cluster: "manager", managesVersion: false, at: { file: "", line: 1, column: 1 } },
    }),
  ];
  const graph = ["manager/machine/cp-1", "apps/machine/cp-1", "edge/machine/cp-1"].map((id) =>
    step(id, "machines"),
  );
  expect(inReverse(graph, clusters).map(({ id, after }) => [id, after])).toEqual([
    ["manager/machine/cp-1", ["apps/machine/cp-1", "edge/machine/cp-1"]],
    ["apps/machine/cp-1", []],
    ["edge/machine/cp-1", []],
  ]);
});
