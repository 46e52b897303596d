import { afterAll, beforeAll, expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { previewFleet } from "../../src/operations/index.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { underWatch } from "../support/sim/watch-invariants.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A host dies with one control plane and two workers on it. Somebody says that it is lost; later it comes back. */

const host = (name: string) =>
  `  ${name}: { proxmox: { url: "https://10.33.0.1:8006", node: ${name}, token: { id: "slipway@pve!main", secret: { env: T } } } }\n`;

const fleet = fleetOf(`version: 1
hosts:
${["hydra", "lyra", "orion"].map(host).join("")}clusters:
  lab:
    on: [hydra, lyra, orion]
    network: { cidr: 10.33.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000, hardware: { start: { onBoot: false } } }
    workers: { count: 3, memory: 2GiB, address: .20, vmid: 3000, hardware: { start: { onBoot: false } }, nodes: { worker-3: { on: lyra } } }
`);

const latencies = { bootMs: 4_000, etcdJoinMs: 4_000, apiServerMs: 6_000, registerMs: 1_000, readyMs: 2_000 };

let site: RehearsalSite;
beforeAll(async () => {
  site = await runningSite(fleet, { latencies });
});
afterAll(() => site?.[Symbol.asyncDispose]());

const world = () => site.rehearsal.world(new AbortController().signal, () => {});
const proxmox = () => site.rehearsal.datacenter.proxmox;
const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
const lost = { lostHosts: ["lyra"] };

const nodesOn = (place: string): string[] =>
  Object.values(proxmox().state().vms)
    .filter((vm) => vm.node === place)
    .map((vm) => String(vm.config["name"]))
    .toSorted();

async function screenOf(more: { lostHosts?: string[] } = {}): Promise<string> {
  const { plan } = await previewFleet({ ...request, ...more }, world());
  if (!plan) throw new Error("no plan");
  const shown = { command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 };
  return showPlan(shown, testScreen());
}

test("a host whose machines are seen is not lost, whatever is said", async () => {
  expect(nodesOn("lyra")).toEqual(["cp-2", "worker-2", "worker-3"]);
  const { runReport } = await site.up(fleet, lost);
  expect(runReport.outcome).toBe("unchanged");
  expect(nodesOn("lyra")).toEqual(["cp-2", "worker-2", "worker-3"]);
});

test("its nodes are made again elsewhere, once somebody says that it is lost", async () => {
  await proxmox().setNode("lyra", "off");
  await site.pass(120_000);
  const { plan } = await previewFleet(request, world());
  expect(plan).toBeUndefined();
  expect(await screenOf(lost)).toMatchInlineSnapshot(`
    "lab   plan                                               lab.yaml, read 0.1s ago

    + create   cp-2 on orion           2 cores, 2 GiB, 10.33.0.11               ~35s
    + create   worker-2 on orion       4 cores, 2 GiB, 10.33.0.21               ~35s
    + create   worker-3 on hydra       4 cores, 2 GiB, 10.33.0.22               ~35s
    − remove   etcd member cp-2                                                  ~5s
                 weak    2 members until cp-2 votes again: none may fail
    − remove   3 Kubernetes nodes      cp-2, worker-2, worker-3                  ~0s

    5 changes, about 58s.
      next  slipway up
    "
  `);
  const seen = await underWatch(site, { cluster: "lab", vip: "10.33.0.9" }, async () => {
    const { runReport, events } = await site.up(fleet, lost);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  });
  expect(seen).toMatchObject({ broken: [] });
  expect([...nodesOn("hydra"), ...nodesOn("orion")].toSorted()).toEqual([
    "cp-1",
    "cp-2",
    "cp-3",
    "worker-1",
    "worker-2",
    "worker-3",
  ]);
  const again = await previewFleet({ ...request, ...lost }, world());
  expect(again.plan?.changes).toEqual([]);
});

test("when it comes back, its old machines are leftovers: not started, and removed after a question", async () => {
  await proxmox().setNode("lyra", "on");
  await site.pass(5_000);
  expect(await screenOf()).toMatch(
    /remove\s+3 machines\s+on lyra: cp-2 was made again while\s.*\s+that host was lost/,
  );
  const { plan } = await previewFleet(request, world());
  expect(plan?.refused).toEqual([]);
  const named = plan?.changes.filter(({ node }) => node.id !== "lab/cluster/nodes");
  expect(named?.map(({ node, consequence }) => `${consequence} ${node.id}`)).toEqual([
    "remove lab/fenced/cp-2-lyra",
    "remove lab/fenced/worker-2-lyra",
    "remove lab/fenced/worker-3-lyra",
  ]);
  const seen = await underWatch(site, { cluster: "lab", vip: "10.33.0.9" }, async () => {
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  });
  expect(seen).toEqual({ broken: [], apiAwayMs: 0 });
  expect(nodesOn("lyra")).toEqual([]);
  expect((await site.plan(fleet)).changes).toEqual([]);
});
