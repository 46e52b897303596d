import { expect, test } from "vitest";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { inspect } from "../support/screens/doctor-lab.ts";
import { verifySite } from "../support/screens/verify-lab.ts";

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.93.0.1:8006", node: hydra, token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  edge:
    k3s: { user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.93.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000 }
`);

test("verify does not call the clock of a K3s node right that could not be asked [talos 7]", async () => {
  await using site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const clocksNow = async () => {
    const told = await verifySite(site, fleet, { isQuick: true });
    return told.events.find((event) => event.type === "check" && event.id === "clocks");
  };
  expect(await clocksNow()).toMatchObject({ status: "ok", found: "2 of 2" });
  const [host] = fleet.hosts.filter(isProxmoxHost);
  if (!host) throw new Error("the fleet has no host");
  const never = new AbortController().signal;
  const client = await site.rehearsal.world(never, () => {}).openProxmox(host);
  await (await client.stopMachine({ node: "hydra", vmid: 3000 }, never)).wait(never);
  expect(await clocksNow()).toMatchObject({
    status: "warned",
    found: expect.stringMatching(/^1 of 2/) as unknown,
  });
});

test("doctor finds nothing wrong where K3s itself connects the pods and no agent does", async () => {
  await using site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const { text, cause } = await inspect(site, fleet);
  expect(cause, text).toBe("");
  expect(text).toContain("inside the distribution");
});
