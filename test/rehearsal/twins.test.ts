import { afterAll, beforeAll, expect, test } from "vitest";
import { fleetStatus, previewFleet } from "../../src/operations/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { byHand } from "../support/proxmox/manual-changes.ts";
import { fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";

/** A host is lost, and its control plane with it. Nobody makes a second one while the first may come back. */

/** All of one Proxmox cluster, and asked under one address. */
const host = (name: string) =>
  `  ${name}: { proxmox: { url: "https://10.32.0.1:8006", node: ${name}, token: { id: "slipway@pve!main", secret: { env: T } } } }\n`;

const file = (hosts: string[]) => `version: 1
hosts:
${["hydra", "lyra", "orion"].map((name) => (hosts.includes(name) ? host(name) : "")).join("")}clusters:
  lab:
    on: [${hosts.join(", ")}]
    network: { cidr: 10.32.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10 }
`;
const all = file(["hydra", "lyra", "orion"]);
const fleet = fleetOf(all);
/** Still in the file, but the cluster is no longer on it. */
const without = all.replace("on: [hydra, lyra, orion]", "on: [hydra, orion]");
let site: RehearsalSite;

beforeAll(async () => {
  site = await runningSite(fleet);
});

afterAll(() => site[Symbol.asyncDispose]());

const world = () => site.rehearsal.world(new AbortController().signal, () => {});
const proxmox = () => site.rehearsal.datacenter.proxmox;

test("the advice for a host that is off does not lead to a second machine [day-two 1]", async () => {
  await proxmox().setNode("lyra", "off");
  const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
  const { plan, checks } = await previewFleet(request, world());
  expect(plan).toBeUndefined();
  const advice = checks.flatMap(({ error }) => (error ? [error.next, error.else ?? ""] : [])).join("\n");
  expect(advice).toContain("Start lyra again");
  expect(advice).not.toMatch(/out of/);
});

test.each([
  ["taken out of the cluster's on", without],
  ["taken out of the file", file(["hydra", "orion"])],
])("a host that is off and %s still has its control plane [day-two 1]", async (_, text) => {
  const before = site.machines();
  const plan = await site.plan(fleetOf(text));
  expect(plan.changes).toEqual([]);
  expect(plan.refused).toMatchObject([
    { step: "lab/machine/cp-2", error: { code: "RUN_NODE_MAY_LIVE" }, holds: "lab" },
  ]);
  expect(plan.refused[0]?.why).toContain("is on lyra, which is offline");
  const { runReport } = await site.up(fleetOf(text));
  expect(runReport).toMatchObject({ outcome: "refused", exitCode: 2, error: { code: "RUN_NODE_MAY_LIVE" } });
  expect(site.machines()).toEqual(before);
});

test("two machines of one node are both named, and the stopped one stays off [day-two 1]", async () => {
  await proxmox().setNode("lyra", "on");
  const [hydra] = fleet.hosts.filter(isProxmoxHost);
  if (!hydra) throw new Error("no host");
  using hand = byHand(site.rehearsal, hydra);
  const original = proxmox().state().vms[2001]?.config ?? {};
  const twin = {
    ...{ node: "hydra", vmid: 2050, name: "cp-2" },
    description: String(original["description"]),
    tags: String(original["tags"]),
  };
  await hand.call("POST /nodes/{node}/qemu", "make a twin", twin);
  await site.pass(60_000);
  expect(proxmox().state().vms[2050]?.config["name"]).toBe("cp-2");
  const plan = await site.plan(fleet);
  expect(plan.changes).toEqual([]);
  expect(plan.refused).toMatchObject([{ step: "lab/machine/cp-2", error: { code: "RUN_NODE_TWICE" } }]);
  expect(plan.refused[0]?.why).toContain(
    "machine 2001 on lyra (running) and machine 2050 on hydra (stopped)",
  );
  const { runReport } = await site.up(fleet);
  expect(runReport).toMatchObject({ outcome: "refused", error: { code: "RUN_NODE_TWICE" } });
  expect(proxmox().state().vms[2050]?.running).toBeUndefined();
  const [status] = await fleetStatus({ fleet, selection: {} }, world());
  expect(status?.nodes.find(({ node }) => node === "cp-2")).toMatchObject({
    state: "Ready",
    vmid: 2001,
    know: "two machines: 2001 on lyra, 2050 on hydra",
  });
  await hand.call("DELETE /nodes/{node}/qemu/{vmid}", "remove it", { node: "hydra", vmid: 2050 });
  await site.pass(60_000);
  expect(site.machines()).toEqual([2000, 2001, 2002]);
  expect((await site.plan(fleet)).refused).toEqual([]);
});

test("a control plane whose machine was removed by hand is not counted by etcd twice [day-two 1]", async () => {
  const [hydra] = fleet.hosts.filter(isProxmoxHost);
  if (!hydra) throw new Error("no host");
  const client = await world().openProxmox(hydra);
  const machine = { node: "orion", vmid: 2002 };
  const never = new AbortController().signal;
  await (await client.stopMachine(machine, never)).wait(never);
  await (await client.removeMachine(machine, never)).wait(never);
  const { runReport } = await site.up(fleet);
  expect(runReport).toMatchObject({ outcome: "refused", error: { code: "RUN_NODE_MAY_LIVE" } });
  expect(runReport.error?.next).toContain("slipway replace lab/cp-3");
  expect(site.machines()).toEqual([2000, 2001]);
});
