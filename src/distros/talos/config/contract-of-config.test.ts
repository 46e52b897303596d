import { beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { encodeMachineConfig } from "./config-document.ts";
import { contractOfConfig } from "./contract-of-config.ts";
import { intentFor } from "../intent/intent-for.ts";
import { machineConfig } from "./machine-config.ts";
import { labCluster } from "./testdata/lab-cluster.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

test.each([8, 9, 10, 11, 12, 13, 14, 15].flatMap((minor) => [0, 3].map((node) => [minor, node] as const)))(
  "a config of 1.%i is written the same after an upgrade of Talos (node %i)",
  (minor, index) => {
    const cluster = labCluster({}, `1.${minor}.0`);
    const node = cluster.nodes[index];
    if (!node) throw new Error("no node");
    const before = machineConfig(intentFor(cluster, node), bundle);
    expect(contractOfConfig(before, `1.${minor}.0`)).toBe(`1.${minor}`);
    const upgraded = labCluster({}, `1.${Math.min(minor + 1, 15)}.0`);
    const kept = intentFor(upgraded, node, new Map(), contractOfConfig(before, `1.${minor}.0`));
    const after = machineConfig({ ...kept, install: intentFor(cluster, node).install ?? {} }, bundle);
    expect(encodeMachineConfig(after)).toBe(encodeMachineConfig(before));
  },
);

test("what is no config of a Talos we know is not guessed at", () => {
  expect(() => contractOfConfig([], "1.13.9")).toThrowError(/has no main document/);
  expect(() => contractOfConfig([{ machine: { type: "worker" } }], "1.13.9")).toThrowError(/before 1\.8/);
});
