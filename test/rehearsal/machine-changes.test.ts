import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** A cluster whose file says much about its machines, and what happens when it says otherwise. */

const file = (hardware: string) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9, firewall: true }
    hardware: { ${hardware} }
    controlPlanes: { count: 3, cores: 1, memory: 2GiB, address: .10, vmid: 2000, hardware: { start: { order: 1 } } }
    workers: { count: 1, cores: 1, memory: 2GiB, address: .20, vmid: 3000, dataDisks: [{ size: 5GiB }], protect: true }
`;

const bootSeconds = 4;

test("control planes restart one after the other, each when the last is back", whole, async () => {
  const before = fleetOf(file("firmware: uefi, ioThreads: true"));
  const after = fleetOf(file("firmware: uefi, cpu: host"));
  await using site = await rehearsalSite(before, { latencies: { bootMs: bootSeconds * 1_000 } });
  const first = await site.up(before);
  expect(first.runReport.outcome, errorsIn(first.events).join("; ")).toBe("done");
  const second = await site.up(before);
  expect(second.runReport.outcome, errorsIn(second.events).join("; ")).toBe("unchanged");

  const { tasks } = site.rehearsal.datacenter.proxmox.state();
  const known = new Set(tasks.map((task) => task.upid));
  const { runReport, events } = await site.up(after);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const power = site.rehearsal.datacenter.proxmox
    .state()
    .tasks.filter(
      ({ upid, id, type }) => !known.has(upid) && id.startsWith("200") && /^qm(shutdown|start)$/.test(type),
    )
    .toSorted((a, b) => a.starttime - b.starttime);
  const [one, two, three] = [...new Set(power.map((task) => task.id))];
  expect(power.map(({ type, id }) => `${type} ${id}`)).toEqual(
    [one, two, three].flatMap((id) => [`qmshutdown ${id}`, `qmstart ${id}`]),
  );
  const gaps = [2, 4].map((at) => (power[at]?.starttime ?? 0) - (power[at - 1]?.starttime ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(bootSeconds - 1);
  expect(JSON.stringify(events)).toContain("cp-1 to be back");
  expect((await site.up(after)).runReport.outcome).toBe("unchanged");
});
