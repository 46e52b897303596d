import { expect, test } from "vitest";
import { upFleet, downFleet, planFleet } from "../../src/operations/index.ts";
import { errorsIn, fleetOf } from "../support/sim/rehearsal-site.ts";
import { standaloneHosts } from "../support/proxmox/standalone-hosts.ts";

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.12.0.${n}:8006", node: pve, token: { id: "slipway@pve!main", secret: { env: T } } } }`;

const fleet = fleetOf(`version: 1
hosts:
${host("cellar", 1)}
${host("attic", 2)}
${host("shed", 3)}
clusters:
  lab:
    on: [cellar, attic, shed]
    network: { cidr: 10.12.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
`);

const confirm = () => Promise.resolve(true);
const wanted = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };

test(
  "pain-11-hosts-without-a-proxmox-cluster-form-one: each has its own API, authority and even the same node name (ClusterCreator#36, capmox#231)",
  { timeout: 600_000 },
  async () => {
    await using site = await standaloneHosts(fleet);
    const up = await upFleet({ ...wanted, confirm }, site.world);
    expect(up.outcome, errorsIn(site.events).join("; ")).toBe("done");
    const machines = [...site.proxmox].map(([name, server]) => [name, Object.keys(server.state().vms)]);
    expect(machines).toEqual([
      ["cellar", ["2000"]],
      ["attic", ["2001"]],
      ["shed", ["2002"]],
    ]);
    expect((await planFleet(wanted, site.world)).plan.changes).toEqual([]);
    const down = await downFleet({ fleet, selection: {}, isDataLossAccepted: false, confirm }, site.world);
    expect(down.outcome, errorsIn(site.events).join("; ")).toBe("done");
    expect([...site.proxmox.values()].map((server) => Object.keys(server.state().vms))).toEqual([[], [], []]);
  },
);
