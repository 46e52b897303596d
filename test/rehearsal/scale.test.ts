import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { Plan } from "../../src/plan/index.ts";
import { upFleet } from "../../src/operations/index.ts";
import { isProxmoxHost, type Fleet } from "../../src/spec/index.ts";
import { byHand } from "../support/proxmox/manual-changes.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { underWatch } from "../support/sim/watch-invariants.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { simSite } from "../support/sim/sim-site.ts";
import { isFull, whole } from "../support/whole-sweep.ts";

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

const [hydra] = file(1).hosts.filter(isProxmoxHost);
if (!hydra) throw new Error("no host");

/** A run that is stopped as soon as this step is done. */
async function upUntil(site: RehearsalSite, fleet: Fleet, step: string): Promise<void> {
  const stop = new AbortController();
  const world = site.rehearsal.world(stop.signal, (event) => {
    if (event.type === "finished" && event.step === step) stop.abort();
  });
  const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
  const { outcome } = await upFleet({ ...request, confirm: () => Promise.resolve(true) }, world);
  expect(outcome).toBe("stopped");
}

const rendered = (plan: Plan): string =>
  showPlan({ command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 }, testScreen());

/** The API may be away while one control plane alone serves it. */
async function scale(site: RehearsalSite, to: Fleet, { apiAwayMs = 1_000 } = {}): Promise<void> {
  const seen = await underWatch(site, { cluster: "lab", vip: "10.8.0.9" }, async () => {
    const { runReport, events } = await site.up(to);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  });
  expect(seen).toMatchObject({ broken: [] });
  expect(seen.apiAwayMs).toBeLessThanOrEqual(apiAwayMs);
  expect((await site.plan(to)).changes).toEqual([]);
}

describe("control planes by count", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(file(1), { latencies });
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  test("one becomes three: they join one after the other, and each votes before the next", async () => {
    await scale(site, file(3), { apiAwayMs: 20_000 });
    expect(site.machines()).toEqual([2000, 2001, 2002, 3000]);
  });

  test("three become one", async () => {
    const plan = await site.plan(file(1));
    expect(rendered(plan)).toMatchInlineSnapshot(`
      "lab   plan                                               lab.yaml, read 0.1s ago

      ~ hot      access files kubeconfig and talosconfig  out of date → written    ~0s
                                                   again
      − remove   2 machines                        cp-2, cp-3                      ~3s
      − remove   2 nodes' pods                     evicted before its machine      ~1m
                                                   is removed; they start on
                                                   other nodes
      − remove   2 etcd members                    cp-3, cp-2                     ~10s
                   weak    2 members until cp-2 has left: none may fail; then 1
                           member: none may fail
      − remove   2 Kubernetes nodes                cp-2, cp-3                      ~0s

      5 changes, about 1m 13s: 2 nodes are removed.
        next  slipway up
      "
    `);
    await scale(site, file(1), { apiAwayMs: 20_000 });
    expect(site.machines()).toEqual([2000, 3000]);
  });

  test("a run that was cut goes on: the member has left, its machine stands", whole, async () => {
    await scale(site, file(3), { apiAwayMs: 20_000 });
    await upUntil(site, file(1), "lab/member/cp-2");
    expect(site.machines()).toEqual([2000, 2001, 2002, 3000]);
    expect(members(site)).toEqual(["cp-1"]);
    await scale(site, file(1), { apiAwayMs: 20_000 });
    expect(site.machines()).toEqual([2000, 3000]);
  });

  test("a protected control plane stays whole: its pods and its seat in etcd stay too", whole, async () => {
    await scale(site, file(3), { apiAwayMs: 20_000 });
    using hand = byHand(site.rehearsal, hydra);
    const machine = { node: "hydra", vmid: 2002, protection: true };
    await hand.call("PUT /nodes/{node}/qemu/{vmid}/config", "protect it", machine);
    const plan = await site.plan(file(1));
    expect(plan.refused.map(({ step }) => step)).toEqual(["lab/machine/cp-3"]);
    expect(plan.changes.filter(({ node }) => node.node === "cp-3")).toEqual([]);
    await hand.call("PUT /nodes/{node}/qemu/{vmid}/config", "release it", { ...machine, protection: false });
  });
});

describe("from three control planes on", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(file(3), { latencies });
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  test("three become five", whole, async () => {
    await scale(site, file(5));
    expect(site.machines()).toEqual([2000, 2001, 2002, 2003, 2004, 3000]);
  });

  test("five become three: members leave first, then nodes and machines; access follows", whole, async () => {
    const plan = await site.plan(file(3));
    expect(rendered(plan)).toMatchInlineSnapshot(`
      "lab   plan                                               lab.yaml, read 0.1s ago

      ~ hot      access files kubeconfig and talosconfig  out of date → written    ~0s
                                                   again
      − remove   2 machines                        cp-4, cp-5                      ~3s
      − remove   2 nodes' pods                     evicted before its machine      ~1m
                                                   is removed; they start on
                                                   other nodes
      − remove   2 etcd members                    cp-5, cp-4                     ~10s
                   weak    4 members until cp-4 has left: 1 may fail; then 3 members:
                           1 may fail
      − remove   2 Kubernetes nodes                cp-4, cp-5                      ~0s

      5 changes, about 1m 13s: 2 nodes are removed.
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
  });

  test("a member whose machine is gone leaves with the file, before those that live", whole, async () => {
    await site.removeByHand(2001);
    await site.pass(60_000);
    const plan = await site.plan(file(1));
    expect(plan.refused).toEqual([]);
    expect(plan.changes.flatMap(({ node }) => (node.kind === "talos/member" ? [node.id] : []))).toEqual([
      "lab/member/cp-2",
      "lab/member/cp-3",
    ]);
    await scale(site, file(1), { apiAwayMs: 20_000 });
    expect(members(site)).toEqual(["cp-1"]);
  });

  test("a worker pool grows from one to six and shrinks to two", whole, async () => {
    await scale(site, file(1, 6), { apiAwayMs: 20_000 });
    await scale(site, file(1, 2), { apiAwayMs: 20_000 });
    expect(site.machines()).toEqual([2000, 3000, 3001]);
  });
});

const members = (site: RehearsalSite): string[] | undefined => {
  const [cluster] = Object.values(site.rehearsal.datacenter.talos.state());
  return cluster?.members.map(({ name }) => name).toSorted();
};

const servers = (net: number, count: number) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.${net}.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.${net}.0.0/24, gateway: .254 }
    controlPlanes: { count: ${count}, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000 }
`);

test("servers of K3s come and go by count too", whole, async () => {
  await using site = await runningSite(servers(17, 1));
  for (const [count, machines] of [
    [3, [2000, 2001, 2002, 3000]],
    [1, [2000, 3000]],
  ] as const) {
    const { runReport, events } = await site.up(servers(17, count));
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    expect(site.machines()).toEqual(machines);
    expect((await site.plan(servers(17, count))).changes).toEqual([]);
  }
});

test("no machine of a K3s server goes while none says what etcd counts", whole, async () => {
  await using site = await runningSite(servers(18, 3));
  for (const vmid of [2000, 2001, 2002]) await site.stopByHand(vmid);
  const { runReport, events } = await site.up(servers(18, 1));
  expect([runReport.outcome, site.machines()]).toEqual(["failed", [2000, 2001, 2002, 3000]]);
  expect(events.flatMap((event) => (event.type === "failed" ? [event.step] : []))).toEqual([
    "edge/leaving/cp-2",
  ]);
});

describe("killed on the way", () => {
  let events: number;
  const shrunk = async (net: string, killAfterEvents?: number): Promise<number> => {
    await using site = await simSite({ net, controlPlanes: 3, workers: 0 });
    expect((await site.run(["up", "--json"])).code).toBe(0);
    const text = await readFile(site.file, "utf8");
    await writeFile(site.file, text.replace("controlPlanes: { count: 3", "controlPlanes: { count: 1"));
    if (killAfterEvents !== undefined) await site.run(["up", "--yes", "--json"], { killAfterEvents });
    const again = await site.run(["up", "--yes", "--json"]);
    const when = `killed after event ${killAfterEvents ?? "none"}`;
    expect(again.code, `${when}: ${again.stderr}`).toBe(0);
    expect(Object.keys(site.datacenter.proxmox.state().vms), when).toEqual(["2000"]);
    const [cluster] = Object.values(site.datacenter.talos.state());
    expect(
      cluster?.members.map(({ name }) => name),
      when,
    ).toEqual(["cp-1"]);
    expect((await site.run(["plan"])).stdout, when).toContain("no changes");
    return again.events.length;
  };

  test("three become one, wherever it was killed", { ...whole, timeout: 600_000 }, async () => {
    events = await shrunk("127.44.250");
    const all = Array.from({ length: events }, (_, index) => index + 1);
    // A cluster each, with processes of its own: a dozen of them take minutes.
    const every = Math.ceil(events / (isFull ? 12 : 4));
    for (const after of all.filter((at) => at % every === 0)) await shrunk(`127.44.${after}`, after);
  });
});
