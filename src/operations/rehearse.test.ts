import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../../test/support/sim/rehearsal-site.ts";

const fleet = fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
  desk: { libvirt: {} }
clusters:
  one: { on: hydra, network: { cidr: 10.1.0.0/24 } }
  two: { on: desk, network: { cidr: 10.2.0.0/24, bridge: br0 } }
`);

test("a file with hosts of Proxmox and of libvirt comes up on both, and goes again", async () => {
  await using site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const { proxmox, libvirt } = site.rehearsal.datacenter;
  const domains = () => Object.values(libvirt.state()["desk"]?.domains ?? {}).map(({ name }) => name);
  expect(Object.values(proxmox.state().vms).map(({ config }) => config["name"])).toEqual(["cp-1"]);
  expect(domains()).toEqual(["two-cp-1"]);
  expect((await site.plan(fleet)).changes).toEqual([]);
  expect((await site.down(fleet)).runReport.outcome).toBe("done");
  expect(domains()).toEqual([]);
});

test("a host may be called by a name instead of an address", async () => {
  const named = fleetOf(`version: 1
hosts: { hydra: { proxmox: { url: "https://pve.test:8006", token: { id: slipway@pve!main, secret: { env: T } } } } }
clusters: { lab: { network: { cidr: 10.16.0.0/24 }, controlPlanes: { count: 1 } } }
`);
  await using site = await rehearsalSite(named);
  const { runReport, events } = await site.up(named, { until: "machines" });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
});
