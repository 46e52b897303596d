import { afterAll, beforeAll, expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { Plan } from "../../src/plan/index.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { errorsIn, fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";

/** One cluster through its life: each test changes the file a little and looks at what follows from it. */

const file = (changes: { workers?: string; controlPlanes?: string; cluster?: string } = {}) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000${changes.controlPlanes ?? ""} }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 3000${changes.workers ?? ""} }
${changes.cluster ?? ""}`;

let site: RehearsalSite;

beforeAll(async () => {
  site = await runningSite(fleetOf(file()));
});

afterAll(() => site[Symbol.asyncDispose]());

const rendered = (plan: Plan): string =>
  showPlan({ command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 }, testScreen());

const consequences = async (text: string) =>
  (await site.plan(fleetOf(text))).changes.map((change) => `${change.consequence} ${change.node.id}`);

test("an unchanged file means no changes", async () => {
  expect(await consequences(file())).toEqual([]);
  expect((await site.up(fleetOf(file()))).runReport.outcome).toBe("unchanged");
});

test("more memory is a reboot of that machine, in place", async () => {
  const grown = file({ workers: ", nodes: { worker-1: { memory: 6GiB } }" });
  expect(await consequences(grown)).toEqual(["reboot lab/machine/worker-1"]);
  const { runReport, events } = await site.up(fleetOf(grown));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(site.rehearsal.datacenter.proxmox.state().vms[3000]?.config["memory"]).toBe("6144");
  expect(await consequences(grown)).toEqual([]);
  expect((await site.up(fleetOf(file()))).runReport.outcome).toBe("done");
});

test("a larger disk grows while the machine runs; a smaller one is refused because data would go", async () => {
  expect(await consequences(file({ workers: ", disk: 80GiB" }))).toEqual([
    "hot lab/machine/worker-1",
    "hot lab/machine/worker-2",
  ]);
  const shrunk = await site.plan(fleetOf(file({ workers: ", disk: 12GiB" })));
  expect(shrunk.changes).toEqual([]);
  const { runReport } = await site.up(fleetOf(file({ workers: ", disk: 12GiB" })));
  expect(runReport).toMatchObject({
    outcome: "refused",
    exitCode: 2,
    error: {
      code: "RUN_NOT_ALLOWED",
      what: "Cannot make 2 changes without your consent",
      // Every one of them is named [proxmox 11].
      why: expect.stringMatching(/^lab\/machine\/worker-1: .+; lab\/machine\/worker-2: .+/) as string,
      next: "slipway up --accept-data-loss worker-1 --accept-data-loss worker-2",
    },
  });
  expect(shrunk.refused.map((refusal) => refusal.next)).toEqual([
    "slipway up --accept-data-loss worker-1",
    "slipway up --accept-data-loss worker-2",
  ]);
});

test("a patch of the machine config is applied hot, and shown path by path", async () => {
  const patched = file({
    cluster: "    patches: [{ machine: { sysctls: { vm.max_map_count: '262144' } } }]\n",
  });
  const plan = await site.plan(fleetOf(patched));
  expect(plan.changes.map((change) => change.fields[0])).toEqual([
    { field: "config files", from: "out of date", to: "written again" },
    ...Array.from({ length: 3 }, () => ({
      field: "machine.sysctls",
      from: "absent",
      to: "{vm.max_map_count:262144}",
    })),
  ]);
  expect((await site.up(fleetOf(patched))).runReport.outcome).toBe("done");
  expect(await consequences(patched)).toEqual([]);
  expect((await site.up(fleetOf(file()))).runReport.outcome).toBe("done");
});

test("a third worker is added without touching the others, and taken away again with its node object", async () => {
  const three = file().replace("workers: { count: 2", "workers: { count: 3");
  expect(await consequences(three)).toEqual([
    "create lab/machine/worker-3",
    "create lab/config/worker-3",
    "create lab/cluster/nodes",
  ]);
  expect((await site.up(fleetOf(three))).runReport.outcome).toBe("done");
  expect(site.machines()).toEqual([2000, 3000, 3001, 3002]);
  expect(await consequences(file())).toEqual([
    "remove lab/machine/worker-3",
    "remove lab/pods/worker-3",
    "remove lab/node/worker-3",
  ]);
  const { runReport, events } = await site.up(fleetOf(file()));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(site.machines()).toEqual([2000, 3000, 3001]);
  expect(await consequences(file())).toEqual([]);
});

test("a machine somebody deleted by hand is made again and joins", async () => {
  await site.removeByHand(3001);
  expect(await consequences(file())).toContain("create lab/machine/worker-2");
  const { runReport, events } = await site.up(fleetOf(file()));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(await consequences(file())).toEqual([]);
});

test("a worker's pods go before its machine, and the plan says so [day-two 5]", async () => {
  const plan = await site.plan(fleetOf(file().replace("workers: { count: 2", "workers: { count: 1")));
  const machine = plan.changes.find(({ node }) => node.id === "lab/machine/worker-2");
  expect(machine?.node.after).toContain("lab/pods/worker-2");
  expect(rendered(plan)).toMatch(/remove\s+pods worker-2\s+evicted before its machine/);
});

test("a machine that is off is started, and nothing is called new [day-two 7]", async () => {
  await site.stopByHand(3001);
  // Kubernetes takes a while to miss it.
  await expect.poll(async () => consequences(file())).toContain("create lab/cluster/nodes");
  const text = rendered(await site.plan(fleetOf(file())));
  expect(text).toMatch(/~ start\s+worker-2\s+stopped → running/);
  expect(text).not.toContain("create");
  const { runReport, events } = await site.up(fleetOf(file()));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(await consequences(file())).toEqual([]);
});

test("other addresses are no new etcd and no new API [day-two 6]", async () => {
  const moved = file().replace("cidr: 10.8.0.0/24, gateway: .254", "cidr: 10.8.0.0/23, gateway: 10.8.1.254");
  const others = moved.replaceAll("address: .", "address: 10.8.1.");
  const plan = await site.plan(fleetOf(others));
  const made = plan.changes.filter(({ action, returns }) => action === "create" && !returns);
  expect(made.map(({ node }) => node.id)).toEqual([]);
  expect(rendered(plan)).not.toContain("+ create");
});

test("a setting of the API server is no hot change [day-two 2]", async () => {
  const patched = file({
    cluster: "    patches: [{ cluster: { apiServer: { extraArgs: { v: '4' } } } }]\n",
  });
  expect(await consequences(patched)).toContain("disturb lab/config/cp-1");
});

test("no control plane leaves while those that stay cannot hold etcd [day-two 6]", async () => {
  const three = fleetOf(
    file().replace("count: 1, address: .10, vmid: 2000", "count: 3, address: .10, vmid: 2000"),
  );
  const { runReport, events } = await site.up(three);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  await site.stopByHand(2000);
  const plan = await site.plan(fleetOf(file()));
  expect(plan.refused.map((refusal) => refusal.step)).toEqual(["lab/member/cp-3", "lab/member/cp-2"]);
  // Nobody forgets the names of those that stay.
  expect(plan.changes).toEqual([]);
  const text = rendered(plan);
  expect(text.match(/Bring its other control planes back/g)).toHaveLength(1);
  expect(text).toContain("Nothing of lab changes while they are in the file.");
});
