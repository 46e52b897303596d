import { expect, test } from "vitest";
import { upFleet, planFleet } from "../../src/operations/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { errorsIn, fleetOf } from "../support/sim/rehearsal-site.ts";
import { standaloneHosts } from "../support/proxmox/standalone-hosts.ts";
import { whole } from "../support/whole-sweep.ts";

/** Hosts that know nothing of each other: nobody but Slipway can notice that a node has two machines. */

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.36.0.${n}:8006", node: pve, token: { id: "slipway@pve!main", secret: { env: T } } } }`;

const file = (on: string) => `version: 1
hosts:
${host("cellar", 1)}
${host("attic", 2)}
clusters:
  lab:
    on: [${on}]
    network: { cidr: 10.36.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`;
const fleet = fleetOf(file("cellar, attic"));
const never = new AbortController().signal;
const wanted = { selection: {}, until: "addons" as const, acceptDataLoss: [] };
const up = { ...wanted, confirm: () => Promise.resolve(true) };

test(
  "a node is not made twice on standalone Proxmox hosts [day-two 1]",
  { ...whole, timeout: 600_000 },
  async () => {
    await using site = await standaloneHosts(fleet);
    const done = await upFleet({ ...up, fleet }, site.world);
    expect(done.outcome, errorsIn(site.events).join("; ")).toBe("done");
    const vms = (name: string) => site.proxmox.get(name)?.state().vms ?? {};
    const [cellar, attic] = fleet.hosts.filter(isProxmoxHost);
    if (!cellar || !attic) throw new Error("no hosts");
    expect(Object.keys(vms("attic"))).toEqual(["3000"]);

    // Its host leaves "on", and the worker is still there.
    const moved = await planFleet({ ...wanted, fleet: fleetOf(file("cellar")) }, site.world);
    expect(moved.plan.changes).toEqual([]);
    expect(moved.plan.refused).toMatchObject([
      { step: "lab/machine/worker-1", error: { code: "RUN_NODE_MAY_LIVE" }, holds: "lab" },
    ]);
    expect(moved.plan.refused[0]?.why).toContain("its machine 3000 is on attic");

    // Somebody restored a backup of it on the other host.
    const { description = "", tags = "" } = vms("attic")[3000]?.config ?? {};
    const client = await site.world.openProxmox(cellar);
    const twin = { vmid: 3000, name: "worker-1", description: String(description), tags: String(tags) };
    await (await client.createMachine("pve", twin, never)).wait(never);
    const twice = await planFleet({ ...wanted, fleet }, site.world);
    expect(twice.plan.changes).toEqual([]);
    expect(twice.plan.refused).toMatchObject([
      { step: "lab/machine/worker-1", error: { code: "RUN_NODE_TWICE" } },
    ]);
    const runReport = await upFleet({ ...up, fleet }, site.world);
    expect(runReport).toMatchObject({ outcome: "refused", exitCode: 2, error: { code: "RUN_NODE_TWICE" } });
    expect(vms("cellar")[3000]?.running).toBeUndefined();
  },
);
