import { expect, test } from "vitest";
import { hotEffect } from "./config-effects.ts";

const changed = (...fields: string[]) => fields.map((field) => ({ field, from: "a", to: "b" }));

test.each([
  ["cluster.apiServer.extraArgs.v", "static pods"],
  ["cluster.apiServer.certSANs", "static pods"],
  ["cluster.network.serviceSubnets", "static pods"],
  ["KubeSchedulerConfig.extraArgs.v", "static pods"],
  ["machine.sysctls.vm.max_map_count", "none"],
  ["machine.network.interfaces", "services"],
  ["machine.kubelet.extraArgs.v", "services"],
  ["machine.nodeLabels.zone", "none"],
])("a change of %s on a control plane restarts: %s", (field, effect) => {
  expect(hotEffect("control-plane", changed(field))).toBe(effect);
});

test("the strongest effect counts, and a worker has no static pods of a control plane", () => {
  const fields = changed("machine.nodeLabels.zone", "cluster.scheduler.extraArgs.v");
  expect(hotEffect("control-plane", fields)).toBe("static pods");
  expect(hotEffect("worker", fields)).toBe("services");
});
