import { afterAll, beforeAll, expect, test } from "vitest";
import { connectKube } from "../../src/clients/kube/index.ts";
import { assemble } from "../../src/operations/planning/assemble.ts";
import { errorsIn, fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";

/** A running K3s cluster is asked for what it cannot become, or may not lose: it is left as it is. */

const file = (changes: { network?: string; vip?: string; workers?: number } = {}) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.34.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { user: debian }
    image: { url: "https://images.example.org/debian-12-genericcloud-amd64.qcow2" }
    network: { cidr: 10.34.0.0/24, gateway: .254, vip: ${changes.vip ?? ".100"}${changes.network ?? ""} }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: ${changes.workers ?? 2}, address: .20, vmid: 3000 }
`;

let site: RehearsalSite;

beforeAll(async () => {
  site = await runningSite(fleetOf(file()));
});

afterAll(() => site[Symbol.asyncDispose]());

test.each([
  ["pod networks", { network: ", podSubnets: [10.200.0.0/16]" }, "10.244.0.0/16 → 10.200.0.0/16"],
  ["service networks", { network: ", serviceSubnets: [10.201.0.0/16]" }, "10.96.0.0/12 → 10.201.0.0/16"],
  ["VIP", { vip: ".99" }, "10.34.0.100 → 10.34.0.99"],
])("other %s are refused for a running K3s cluster [day-two 5]", async (topic, changes, change) => {
  const text = file(changes);
  const { refused, changes: planned } = await site.plan(fleetOf(text));
  expect(refused.map((each) => `${each.error?.code} ${each.subject}: ${each.change}`)).toEqual([
    `K3S_NETWORK_SETTLED ${topic} on cp-1: ${change}`,
  ]);
  expect(planned).toEqual([]);
  const { runReport, events } = await site.up(fleetOf(text));
  expect(runReport).toMatchObject({
    outcome: "refused",
    exitCode: 2,
    error: { code: "K3S_NETWORK_SETTLED" },
  });
  expect(events.filter(({ type }) => type === "started")).toEqual([]);
});

test("after all that was refused there is nothing to change", async () => {
  expect((await site.plan(fleetOf(file()))).changes).toEqual([]);
});

test("a K3s node whose pods would lose scratch files does not leave", { timeout: 600_000 }, async () => {
  const world = site.rehearsal.world(new AbortController().signal, () => undefined);
  const fleet = fleetOf(file());
  const [cluster] = fleet.clusters;
  const kubeconfig = (cluster && (await assemble(world, fleet).distribution.kubeconfig(cluster))) ?? "";
  const kube = connectKube({ kubeconfig, clock: world.clock, dial: world.dialFor("edge") });
  const pod = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "cache" };
  const metadata = { namespace: "default", name: "cache" };
  const spec = {
    nodeName: "worker-2",
    containers: [{ name: "main", image: "example.com/main:1" }],
    volumes: [{ name: "scratch", emptyDir: {} }],
  };
  await kube.create({ apiVersion: "v1", kind: "Pod", metadata, spec });
  const { runReport, events } = await site.up(fleetOf(file({ workers: 1 })));
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join("\n")).toContain("scratch");
  expect(site.machines()).toEqual([2000, 3000, 3001]);
  expect((await kube.nodes()).map((node) => node.metadata.name).toSorted()).toEqual([
    "cp-1",
    "worker-1",
    "worker-2",
  ]);
  await kube.delete(pod);
  expect((await site.up(fleetOf(file({ workers: 1 })))).runReport.outcome).toBe("done");
  expect(site.machines()).toEqual([2000, 3000]);
});
