import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { Plan } from "../../src/plan/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { watchCluster } from "../support/sim/cluster-watch.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** Clusters grow and shrink by their `count`: etcd never loses its quorum on the way. */

const file = (controlPlanes: number, workers = 1) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: ${controlPlanes}, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: ${workers}, memory: 2GiB, address: .20, vmid: 3000 }
`);

const latencies = {
  bootMs: 4_000,
  etcdJoinMs: 4_000,
  apiServerMs: 6_000,
  registerMs: 1_000,
  readyMs: 2_000,
  staticPodMs: 1_000,
  staticPodRestartMs: 8_000,
};

const rendered = (plan: Plan): string =>
  showPlan({ command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 }, testScreen());

async function scale(site: RehearsalSite, to: Fleet, { hasApi = true } = {}): Promise<void> {
  const seen = await watchCluster(site, { cluster: "lab", vip: "10.8.0.9" }, async () => {
    const { runReport, events } = await site.up(to);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  });
  expect(seen).toMatchObject({ withoutQuorum: 0, twins: [] });
  if (hasApi) expect(seen.apiAwayMs).toBeLessThanOrEqual(1_000);
  expect((await site.plan(to)).changes).toEqual([]);
}

describe("control planes by count", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(file(1), { latencies });
  }, 120_000);
  afterAll(() => site?.[Symbol.asyncDispose]());

  test("one becomes three: they join one after the other, and each votes before the next", async () => {
    await scale(site, file(3), { hasApi: false });
    expect(site.machines()).toEqual([2000, 2001, 2002, 3000]);
  }, 120_000);

  test("three become five", async () => {
    await scale(site, file(5));
    expect(site.machines()).toEqual([2000, 2001, 2002, 2003, 2004, 3000]);
  }, 120_000);

  test("five become three: members leave first, then nodes and machines; access follows", async () => {
    const plan = await site.plan(file(3));
    expect(rendered(plan)).toMatchInlineSnapshot(`
      "lab   plan                                               lab.yaml, read 0.1s ago

      ~ hot      access files            kubeconfig and talosconfig out of         ~0s
                                         date → written again, config files
                                         out of date → written again
      ↻ disturb  3 nodes                 machine.certSANs                         ~25s
                                         [10.8.0.9,10.8.0.10,10.8.0.11,10.8.0
                                         .12,10.8.0.13,10.8.0.14] →
                                         [10.8.0.9,10.8.0.10,10.8.0.11,10.8.0
                                         .12], cluster.apiServer.certSANs
                                         [10.8.0.9,10.8.0.10,10.8.0.11,10.8.0
                                         .12,10.8.0.13,10.8.0.14] →
                                         [10.8.0.9,10.8.0.10,10.8.0.11,10.8.0
                                         .12]
      − remove   2 machines              cp-4, cp-5                                ~3s
      − remove   2 podss                 evicted before its machine is             ~1m
                                         removed; they start on other nodes
      − remove   2 etcd members          cp-5, cp-4                               ~10s
                   weak    4 members: 1 may fail until cp-4 has left too; then 3
                           members: 1 may fail
      − remove   2 node-objects          cp-4, cp-5                                ~0s

      6 changes, about 1m 38s: 2 nodes are removed, no node reboots, pods may be
      interrupted.
        next  slipway up
      "
    `);
    await scale(site, file(3));
    expect(site.machines()).toEqual([2000, 2001, 2002, 3000]);
    const talosconfig = parse(await readFile(path.join(site.folder, "lab/talosconfig"), "utf8")) as {
      contexts: Record<string, { endpoints: string[] }>;
    };
    expect(Object.values(talosconfig.contexts)[0]?.endpoints).toEqual([
      "10.8.0.10",
      "10.8.0.11",
      "10.8.0.12",
    ]);
  }, 120_000);

  test("three become one", async () => {
    const plan = await site.plan(file(1));
    expect(rendered(plan)).toMatchInlineSnapshot(`
      "lab   plan                                               lab.yaml, read 0.1s ago

      ~ hot      access files            kubeconfig and talosconfig out of         ~0s
                                         date → written again, config files
                                         out of date → written again
      ↻ disturb  cp-1                    machine.certSANs                         ~25s
                                         [10.8.0.9,10.8.0.10,10.8.0.11,10.8.0
                                         .12] → [10.8.0.9,10.8.0.10],
                                         cluster.apiServer.certSANs
                                         [10.8.0.9,10.8.0.10,10.8.0.11,10.8.0
                                         .12] → [10.8.0.9,10.8.0.10]
      − remove   2 machines              cp-2, cp-3                                ~3s
      − remove   2 podss                 evicted before its machine is             ~1m
                                         removed; they start on other nodes
      − remove   2 etcd members          cp-3, cp-2                               ~10s
                   weak    2 members: none may fail until cp-2 has left too; then 1
                           member: none may fail
      − remove   2 node-objects          cp-2, cp-3                                ~0s

      6 changes, about 1m 38s: 2 nodes are removed, no node reboots, pods may be
      interrupted.
        next  slipway up
      "
    `);
    await scale(site, file(1), { hasApi: false });
    expect(site.machines()).toEqual([2000, 3000]);
  }, 120_000);
});
