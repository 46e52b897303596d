import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../../test/support/sim/rehearsal-site.ts";
import { simulatedPart } from "./rehearse.ts";

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

test("simulatedPart() refuses a cluster on libvirt and says how to try it for real", () => {
  expect(() => simulatedPart(fleet, {})).toThrow(
    expect.objectContaining({
      code: "RUN_NOT_SIMULATED",
      why: "it runs on desk with libvirt, and only Proxmox is simulated",
      else: expect.stringContaining("slipway up --until machines"),
      at: expect.objectContaining({ line: 10 }),
    }),
  );
});

test("simulatedPart() leaves the others out when one on Proxmox is asked for", () => {
  const { hosts, clusters } = simulatedPart(fleet, { cluster: "one" });
  expect(hosts.map(({ name }) => name)).toEqual(["hydra"]);
  expect(clusters.map(({ name }) => name)).toEqual(["one"]);
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
