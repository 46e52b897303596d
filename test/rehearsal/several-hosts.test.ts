import { afterAll, beforeAll, expect, test } from "vitest";
import { fleetStatus } from "../../src/operations/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { byHand } from "../support/proxmox/manual-changes.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Three hosts of one Proxmox cluster, each under its own address; somebody moves machines between them. */

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.11.0.${n}:8006", token: { id: "slipway@pve!main", secret: { env: T } } }, region: attic }`;

const file = `version: 1
hosts:
${host("hydra", 1)}
${host("lyra", 2)}
${host("orion", 3)}
clusters:
  lab:
    on: [hydra, lyra]
    network: { cidr: 10.11.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000, labels: { "topology.kubernetes.io/zone": rack-7 } }
`;
const fleet = fleetOf(file);
let site: RehearsalSite;

beforeAll(async () => {
  site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const apart = events.find((event) => event.type === "check" && event.id === "proxmox-apart");
  expect(apart).toMatchObject({
    status: "warned",
    found: "cp-1, cp-3 share hydra: when it is lost, so is the Kubernetes API",
  });
});

afterAll(() => site[Symbol.asyncDispose]());

const places = () =>
  Object.fromEntries(
    Object.values(site.rehearsal.datacenter.proxmox.state().vms).map((vm) => [vm.config["name"], vm.node]),
  );

const changes = async () =>
  (await site.plan(fleet)).changes.map(({ node, consequence, fields: [first] }) => [
    consequence,
    node.id,
    `${first?.field}: ${first?.from} -> ${first?.to}`,
  ]);

/** The labels a node gives itself, as its machine config says. */
async function zoneOf(node: string): Promise<string[]> {
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(`${site.folder}/lab/nodes/${node}.yaml`, "utf8");
  return text.split("\n").flatMap((line) => /topology\.kubernetes\.io\/\w+: (\S+)/.exec(line)?.[0] ?? []);
}

test("pain 10: machines are spread, found once under all addresses, and labelled with where they are", async () => {
  expect(places()).toEqual({ "cp-1": "hydra", "cp-2": "lyra", "cp-3": "hydra", "worker-1": "lyra" });
  expect(await zoneOf("cp-2")).toEqual([
    "topology.kubernetes.io/region: attic",
    "topology.kubernetes.io/zone: lyra",
  ]);
  expect(await zoneOf("worker-1")).toEqual([
    "topology.kubernetes.io/region: attic",
    "topology.kubernetes.io/zone: rack-7",
  ]);
  expect(await changes()).toEqual([]);
});

test(
  "pain 05: a machine migrated by hand stays where it is; only its label follows, hot",
  whole,
  async () => {
    const [hydra] = fleet.hosts.filter(isProxmoxHost);
    if (!hydra) throw new Error("no host");
    using hand = byHand(site.rehearsal, hydra);
    await hand.migrate("hydra", 2002, "lyra");
    // Orion is in the file, but this cluster is not meant to be on it.
    await hand.migrate("lyra", 3000, "orion");
    expect(await changes()).toEqual([
      ["hot", "lab/cluster/access", "config files: out of date -> written again"],
      ["hot", "lab/config/cp-3", "machine.nodeLabels.topology.kubernetes.io/zone: hydra -> lyra"],
    ]);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    expect(places()).toMatchObject({ "cp-3": "lyra", "worker-1": "orion" });
    expect(await changes()).toEqual([]);
    const [status] = await fleetStatus(
      { fleet, selection: {} },
      site.rehearsal.world(new AbortController().signal, () => {}),
    );
    expect(status?.nodes.map((node) => `${node.node} ${node.host} ${node.state}`)).toEqual([
      "cp-1 hydra Ready",
      "cp-2 lyra Ready",
      "cp-3 lyra Ready",
      "worker-1 orion Ready",
    ]);
  },
);

test("pain 05: wherever its machines have gone to, the cluster is taken away whole", async () => {
  const { runReport, events } = await site.down(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(site.machines()).toEqual([]);
});
