import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const file = (cluster = "", hosts = "") => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.7.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
${hosts}clusters:
  lab:
    on: hydra
    network: { cidr: 10.7.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000 }
${cluster}`;

test("a protected cluster is not taken down", async () => {
  const fleet = fleetOf(file("    protect: true\n"));
  await using site = await rehearsalSite(fleet);
  await expect(site.down(fleet)).rejects.toMatchObject({ code: "SPEC_PROTECTED" });
});

test("a machine with another owner is never touched", async () => {
  const fleet = fleetOf(file());
  await using site = await rehearsalSite(fleet);
  const other = fleetOf(file().replace("  lab:", "  other:"));
  await site.up(other, { until: "machines" });
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join()).toContain("PVE_VMID_TAKEN 2000 for cp-1 is node cp-1 of cluster other");
  expect((await site.down(fleet)).runReport.outcome).toBe("unchanged");
  expect(site.machines()).toEqual([2000, 3000]);
});

test("lost secrets are an error, never made anew over a live cluster", { timeout: 600_000 }, async () => {
  const fleet = fleetOf(file());
  await using site = await rehearsalSite(fleet);
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
  await rm(path.join(site.folder, "lab"), { recursive: true });
  const { runReport } = await site.up(fleet);
  expect(runReport.error).toMatchObject({ code: "SECRETS_LOST" });
  expect(await readdir(path.join(site.folder, "lab")).catch(() => [])).not.toContain("secrets.yaml");
});

test(
  "no second cluster is founded while a control plane that existed before is silent (hk3s#311)",
  { timeout: 600_000 },
  async () => {
    const three = fleetOf(file().replace("count: 1, address: .10", "count: 3, address: .10"));
    await using site = await rehearsalSite(three);
    expect((await site.up(three)).runReport.outcome).toBe("done");
    await site.removeByHand(2000);
    // etcd still counts it: a new one would be a fourth vote beside three, of which one is dead.
    const { runReport } = await site.up(three);
    expect(runReport).toMatchObject({ outcome: "refused", error: { code: "RUN_NODE_MAY_LIVE" } });
    expect(site.machines()).toEqual([2001, 2002, 3000]);
    expect(site.rehearsal.datacenter.talos.bootstraps()).toEqual({ lab: 1 });
  },
);

test("up --until and --only do no more than they say", { timeout: 600_000 }, async () => {
  const fleet = fleetOf(file());
  await using site = await rehearsalSite(fleet);
  const one = await site.up(fleet, { until: "machines", selection: { cluster: "lab", node: "cp-1" } });
  expect(one.runReport.outcome).toBe("done");
  expect(site.machines()).toEqual([2000]);
  await site.up(fleet, { until: "machines" });
  expect(site.machines()).toEqual([2000, 3000]);
  expect(site.rehearsal.datacenter.talos.bootstraps()).toEqual({});
  await site.up(fleet, { until: "distro" });
  expect(site.rehearsal.datacenter.talos.bootstraps()).toEqual({ lab: 1 });
  expect(["done", "unchanged"]).toContain((await site.up(fleet)).runReport.outcome);
});

test("nothing secret reaches an event", { timeout: 600_000 }, async () => {
  const fleet = fleetOf(file());
  await using site = await rehearsalSite(fleet);
  const { events } = await site.up(fleet);
  const told = JSON.stringify([events, await site.plan(fleet)]);
  const bundle = await readFile(path.join(site.folder, "lab/secrets.yaml"), "utf8");
  const secrets = [...bundle.matchAll(/: (\S{16,})$/gm)].map(([, value = ""]) => value);
  expect(secrets.length).toBeGreaterThan(10);
  for (const secret of secrets) expect(told.includes(secret), `${secret.slice(0, 8)}…`).toBe(false);
});
