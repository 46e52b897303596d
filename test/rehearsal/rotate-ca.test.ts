import { expect, test } from "vitest";
import { errorsIn, fleetOf, runningSite } from "../support/sim/rehearsal-site.ts";
import { rotate } from "../support/sim/rotation.ts";

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, cores: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);

test.each(["talos", "kubernetes"])("a first try %s", async (ca) => {
  await using site = await runningSite(fleet, { latencies: { staticPodMs: 2_000, staticPodRestartMs: 10_000, registerMs: 2_000 } });
  const first = await rotate(site, fleet, ca, false);
  expect(first.runReport.outcome, errorsIn(first.events.map((e) => e.event)).join("; ")).toBe("done");
  console.log(first.events.filter(e => ["started","finished"].includes(e.event.type)).map(e => `${e.at} ${e.event.type} ${"step" in e.event ? e.event.step : ""}`).join("\n"));
  expect((await site.plan(fleet)).changes).toEqual([]);
  const second = await rotate(site, fleet, ca, true);
  expect(second.runReport.outcome, errorsIn(second.events.map((e) => e.event)).join("; ")).toBe("done");
  const plan = await site.plan(fleet);
  expect(plan.changes).toEqual([]);
  expect(plan.refused).toEqual([]);
});
