import { afterAll, beforeAll, expect, test } from "vitest";
import { fleetStatus } from "../../src/operations/index.ts";
import type { Plan } from "../../src/plan/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { byHand } from "../support/proxmox/manual-changes.ts";
import { errorsIn, fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";

/** A running cluster is asked for what it cannot become: the plan refuses, and nothing of the cluster is touched. */

const file = (
  changes: { cluster?: string; network?: string; vip?: string; workers?: string } = {},
) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.31.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.31.0.0/24, gateway: .254, vip: ${changes.vip ?? ".100"}${changes.network ?? ""} }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 4GiB, address: .20, vmid: 3000${changes.workers ?? ""} }
${changes.cluster ?? "    talos: { version: 1.13.9 }\n"}`;

let site: RehearsalSite;

beforeAll(async () => {
  site = await runningSite(fleetOf(file()));
});

afterAll(() => site[Symbol.asyncDispose]());

const refusedIn = ({ refused }: Plan) =>
  refused.map(({ subject, change, error }) => `${error?.code} ${subject}: ${change}`);

/** All that could have been changed: machines, and what each node runs with. */
const state = () => JSON.stringify(site.rehearsal.datacenter.proxmox.state().vms);

async function demandRefused(text: string, refused: string[]): Promise<void> {
  const before = state();
  const plan = await site.plan(fleetOf(text));
  expect(refusedIn(plan)).toEqual(refused);
  expect(plan.changes).toEqual([]);
  let isAsked = false;
  const { runReport, events } = await site.up(fleetOf(text), {
    confirm: () => {
      isAsked = true;
      return Promise.resolve(true);
    },
  });
  expect(runReport, errorsIn(events).join("; ")).toMatchObject({ outcome: "refused", exitCode: 2 });
  expect(runReport.error?.code).toBe(refused[0]?.split(" ")[0]);
  expect(isAsked).toBe(false);
  expect(events.filter((event) => event.type === "started")).toEqual([]);
  expect(state()).toBe(before);
}

test.each(["1.35.2", "1.36.2"])(
  "Kubernetes is not taken back to %s in a running cluster [day-two 2]",
  async (version) => {
    await demandRefused(file({ cluster: `    talos: { version: 1.13.9 }\n    kubernetes: ${version}\n` }), [
      `TALOS_KUBERNETES_SETTLED Kubernetes on 2 nodes: 1.36.3 → ${version}`,
    ]);
  },
);

test("Talos is not taken back to 1.13.8 on nodes that run 1.13.9 [day-two 3]", async () => {
  await demandRefused(file({ cluster: "    talos: { version: 1.13.8 }\n" }), [
    "TALOS_VERSION_SETTLED Talos on 2 nodes: 1.13.9 → 1.13.8",
  ]);
});

test("a Talos whose default Kubernetes is another one changes neither [day-two 3]", async () => {
  await demandRefused(file({ cluster: "    talos: { version: 1.12.4 }\n" }), [
    "TALOS_VERSION_SETTLED Talos on 2 nodes: 1.13.9 → 1.12.4",
    "TALOS_KUBERNETES_SETTLED Kubernetes on 2 nodes: 1.36.3 → 1.35.4",
  ]);
});

test("a new node does not join a running cluster with another version [day-two 3]", async () => {
  const grown = file({ cluster: "    talos: { version: 1.13.8 }\n" }).replace(
    "workers: { count: 1",
    "workers: { count: 2",
  );
  await demandRefused(grown, ["TALOS_VERSION_SETTLED Talos on 2 nodes: 1.13.9 → 1.13.8"]);
  const plan = await site.plan(fleetOf(grown));
  expect(plan.refused[0]?.next).toBe('Write talos: { version: 1.13.9 } for "lab"');
});

test.each([
  ["pod networks", ", podSubnets: [10.200.0.0/16]", "10.244.0.0/16 → 10.200.0.0/16"],
  ["service networks", ", serviceSubnets: [10.201.0.0/16]", "10.96.0.0/12 → 10.201.0.0/16"],
])("other %s are refused for a running cluster [day-two 5]", async (topic, network, change) => {
  await demandRefused(file({ network }), [`TALOS_NETWORK_SETTLED ${topic} on 2 nodes: ${change}`]);
});

test("another VIP is refused for a running cluster [day-two 5]", async () => {
  await demandRefused(file({ vip: ".99" }), ["TALOS_NETWORK_SETTLED VIP on cp-1: 10.31.0.100 → 10.31.0.99"]);
});

test("a VLAN is refused for machines that run without one [day-two 5]", async () => {
  await demandRefused(file({ network: ", vlan: 14" }), ["NET_VLAN_SETTLED VLAN on 2 nodes: none → 14"]);
});

test("after all that was refused there is nothing to change", async () => {
  expect((await site.plan(fleetOf(file()))).changes).toEqual([]);
});

test("status tells what the nodes run, not what the file asks for [day-two 3]", async () => {
  const asked = file({ cluster: "    talos: { version: 1.13.8 }\n    kubernetes: 1.35.2\n" });
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const [status] = await fleetStatus({ fleet: fleetOf(asked), selection: {} }, world);
  expect(status?.version).toBe("Talos 1.13.9  K8s 1.36.3");
});

test("a strayed VLAN of one machine is brought back, after a question [day-two 5]", async () => {
  const [hydra] = fleetOf(file()).hosts.filter(isProxmoxHost);
  if (!hydra) throw new Error("no host");
  using hand = byHand(site.rehearsal, hydra);
  const nic = String(site.rehearsal.datacenter.proxmox.state().vms[3000]?.config["net0"]);
  await hand.call("PUT /nodes/{node}/qemu/{vmid}/config", "tag", {
    ...{ node: "hydra", vmid: 3000, net0: `${nic},tag=14` },
  });
  const plan = await site.plan(fleetOf(file()));
  expect(plan.refused).toEqual([]);
  const machine = plan.changes.find(({ node }) => node.id === "lab/machine/worker-1");
  expect(machine).toMatchObject({
    consequence: "disturb",
    fields: [{ field: "vlan", from: "14", to: "none" }],
  });
});

test("what is refused is told when the rest is done, and the exit code is that of a refusal", async () => {
  const other = `  web:
    linux: { user: debian }
    image: { url: "https://images.example.org/debian-12-genericcloud-amd64.qcow2" }
    network: { cidr: 10.31.0.0/24, gateway: .254 }
    workers: { count: 1, address: .50, vmid: 5000 }
`;
  const text = `${file({ cluster: "    talos: { version: 1.13.8 }\n" })}${other}`;
  const { runReport, events } = await site.up(fleetOf(text));
  expect(errorsIn(events)).toHaveLength(1);
  expect(runReport).toMatchObject({
    outcome: "refused",
    exitCode: 2,
    error: { code: "TALOS_VERSION_SETTLED" },
    counts: { failed: 0, skipped: 0 },
  });
  expect(runReport.counts.done).toBeGreaterThan(0);
  expect([...site.rehearsal.datacenter.linux.hosts().keys()]).toEqual(["worker-1"]);
  const again = await site.up(fleetOf(text));
  expect(again.runReport).toMatchObject({ outcome: "refused", exitCode: 2, counts: { done: 0 } });
});
