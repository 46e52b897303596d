import { expect, test } from "vitest";
import { defaultDatacenter } from "../../datacenter-file.ts";
import { bench } from "../../../../test/support/sim-proxmox-bench.ts";

const machine = { vmid: "100", name: "cp-1", memory: "512" };
const qemu = "/nodes/hydra/qemu";

test("the manager starts a machine it is given, and stops it when asked through the machine's own call", async () => {
  const box = await bench();
  await box.run("POST", qemu, machine);
  await box.ask("POST", "/cluster/ha/resources", { sid: "100" });
  await box.time.until(() => box.sim.state().vms["100"]?.running !== undefined);
  const { data } = await box.ask("GET", `${qemu}/100/status/current`);
  expect(data).toMatchObject({ ha: { managed: 1, state: "started" } });
  const asked = await box.ask("POST", `${qemu}/100/status/stop`);
  expect(asked.data).toMatch(/:hastop:100:/);
  await box.time.until(() => box.sim.state().vms["100"]?.running === undefined);
});

test("the manager starts a machine again that lost its power", async () => {
  const box = await bench();
  await box.run("POST", qemu, machine);
  await box.ask("POST", "/cluster/ha/resources", { sid: "vm:100" });
  await box.time.until(() => box.booted.length === 1);
  box.booted[0]?.power.powerOff();
  await box.time.until(() => box.booted.length === 2);
});

test("a managed machine is deleted only with purge, which takes it out of resources and rules", async () => {
  const box = await bench();
  for (const vmid of ["100", "101"]) {
    await box.run("POST", qemu, { ...machine, vmid });
    await box.ask("POST", "/cluster/ha/resources", { sid: `vm:${vmid}`, state: "stopped" });
  }
  const apart = { rule: "apart", type: "resource-affinity", affinity: "negative" };
  await box.ask("POST", "/cluster/ha/rules", { ...apart, resources: "vm:100,vm:101" });
  expect((await box.ask("DELETE", `${qemu}/100`)).message).toBe(
    "unable to remove VM 100 - used in HA resources and purge parameter not set.\n",
  );
  expect(await box.run("DELETE", `${qemu}/100?purge=1`)).toBe("OK");
  expect(box.sim.state().ha).toMatchObject({
    resources: { "vm:101": {} },
    rules: { apart: { resources: ["vm:101"] } },
  });
});

test("more machines than nodes cannot be kept apart", async () => {
  const box = await bench();
  const ids = ["100", "101", "102", "103"];
  for (const vmid of ids) {
    await box.run("POST", qemu, { ...machine, vmid });
    await box.ask("POST", "/cluster/ha/resources", { sid: vmid, state: "ignored" });
  }
  const refused = await box.ask("POST", "/cluster/ha/rules", {
    rule: "apart",
    type: "resource-affinity",
    affinity: "negative",
    resources: ids.map((id) => `vm:${id}`).join(","),
  });
  expect(refused.message).toContain("rule defines more resources than available nodes");
});

test("8 has groups and no rules, and keeps both kinds of state over a restart", async () => {
  const datacenter = { ...defaultDatacenter(), version: "8.4" as const };
  const box = await bench({ datacenter });
  await box.run("POST", qemu, machine);
  await box.ask("POST", "/cluster/ha/groups", { group: "fast", nodes: "hydra:2,lyra" });
  await box.ask("POST", "/cluster/ha/resources", { sid: "100", group: "fast", state: "stopped" });
  expect((await box.ask("GET", "/cluster/ha/rules")).status).toBe(501);
  const saved = structuredClone(box.sim.state());
  await box.sim.close();
  const again = await bench({ datacenter, saved });
  expect((await again.ask("GET", "/cluster/ha/groups")).data).toMatchObject([
    { group: "fast", nodes: "hydra:2,lyra" },
  ]);
  expect((await again.ask("GET", "/cluster/ha/resources")).data).toMatchObject([{ sid: "vm:100" }]);
});

test("what a resource or a rule cannot do without, or does not have, is not deleted", async () => {
  const box = await bench();
  await box.run("POST", qemu, machine);
  const resources = "/cluster/ha/resources";
  const refused = async (method: string, path: string, params: Record<string, string>) =>
    (await box.ask(method, path, params)).message;
  expect(await refused("POST", resources, { sid: "vm:100", type: "ct" })).toBe("types does not match\n");
  await box.ask("POST", resources, { sid: "vm:100", comment: "a" });
  const change = (params: Record<string, string>) => refused("PUT", `${resources}/vm:100`, params);
  expect(await change({ delete: "sid" })).toBe("update resource failed: no such option 'sid'\n");
  expect(await change({ comment: "b", delete: "comment" })).toBeUndefined();
  expect(box.sim.state().ha.resources["vm:100"]).not.toHaveProperty("comment");
  expect(await refused("PUT", `${resources}/vm:7`, { comment: "b" })).toBe(
    "update resource failed: no such resource 'vm:7'\n",
  );
  const type = "node-affinity";
  const rules = "/cluster/ha/rules";
  await box.ask("POST", rules, { rule: "near", type, resources: "vm:100", nodes: "hydra" });
  const rule = (params: Record<string, string>) => refused("PUT", `${rules}/near`, { type, ...params });
  expect(await rule({ delete: "nodes" })).toContain("unable to delete required option 'nodes'");
  expect(await rule({ delete: "comment", comment: "c" })).toContain("cannot set and delete property");
  expect(await rule({ digest: "0" })).toContain("detected modified configuration");
});
