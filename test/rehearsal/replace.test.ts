import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { replaceNode } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { openKube } from "../support/sim/open-kube.ts";
import { underWatch } from "../support/sim/watch-invariants.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** One machine is made again, whether its node lives or is dead, and the others hold the cluster meanwhile. */

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 2GiB, address: .20, vmid: 3000, dataDisks: [{ size: 10GiB }] }
`);

const latencies = {
  bootMs: 4_000,
  etcdJoinMs: 4_000,
  apiServerMs: 6_000,
  registerMs: 1_000,
  readyMs: 2_000,
};

let site: RehearsalSite;
beforeAll(async () => {
  site = await runningSite(fleet, { latencies });
});
afterAll(() => site?.[Symbol.asyncDispose]());

async function replace(node: string) {
  const events: EventBody[] = [];
  const world = site.rehearsal.world(new AbortController().signal, (event) => events.push(event));
  let screen = "";
  const runReport = await replaceNode(
    {
      fleet,
      node,
      confirm({ plan }) {
        screen = showPlan(
          { command: "replace", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 },
          testScreen(),
        );
        return Promise.resolve(true);
      },
    },
    world,
  );
  return { runReport, events, screen };
}

/** Replaced under watch; what a person was asked is given back. */
async function replaceWell(node: string): Promise<string> {
  let screen = "";
  const seen = await underWatch(site, { cluster: "lab", vip: "10.8.0.9" }, async () => {
    const done = await replace(node);
    expect(done.runReport.outcome, errorsIn(done.events).join("; ")).toBe("done");
    ({ screen } = done);
  });
  expect(seen).toMatchObject({ broken: [] });
  expect(seen.apiAwayMs).toBeLessThanOrEqual(1_000);
  const plan = await site.plan(fleet);
  expect([...plan.changes, ...plan.refused].map((each) => JSON.stringify(each))).toEqual([]);
  expect(site.machines()).toEqual([2000, 2001, 2002, 3000, 3001]);
  return screen;
}

test("a living worker of K3s is emptied and stopped before its machine goes, and joins again with new keys", async () => {
  const edge = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.9.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.9.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000 }
`);
  await using other = await runningSite(edge);
  const knownHosts = () => readFile(path.join(other.folder, "edge/known_hosts"), "utf8");
  const keysOf = (text: string) => text.split("\n").filter((line) => line.startsWith("10.9.0.20 "));
  const before = await knownHosts();
  const events: EventBody[] = [];
  const world = other.rehearsal.world(new AbortController().signal, (event) => events.push(event));
  const confirm = () => Promise.resolve(true);
  const runReport = await replaceNode({ fleet: edge, node: "worker-1", confirm }, world);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(events.flatMap((event) => (event.type === "log" ? [event.text] : [])).join()).not.toContain(
    "does not answer",
  );
  const after = await knownHosts();
  expect(keysOf(after)).not.toEqual([]);
  expect(keysOf(after)).not.toEqual(keysOf(before));
  expect((await other.plan(edge)).changes).toEqual([]);
});

const vm = (vmid: number) => site.rehearsal.datacenter.proxmox.state().vms[vmid];
const members = () => {
  const [cluster] = Object.values(site.rehearsal.datacenter.talos.state());
  return cluster?.members.map(({ name }) => name).toSorted();
};

test("a living control plane leaves etcd, is made again and votes", async () => {
  const before = vm(2001)?.config;
  expect(await replaceWell("cp-2")).toMatchInlineSnapshot(`
    "lab   replace                                            lab.yaml, read 0.1s ago

    ± replace  cp-2                    on hydra                                  ~3s
    − remove   pods cp-2               evicted before its machine is            ~30s
                                       removed; they start on other nodes
    − remove   etcd member cp-2                                                  ~5s
                 weak    2 members until cp-2 votes again: none may fail
    − remove   Kubernetes node cp-2                                              ~0s

    4 changes, about 1m 31s: 1 node is made again.
    "
  `);
  expect(vm(2001)?.config["net0"]).toBe(before?.["net0"]);
  expect(members()).toEqual(["cp-1", "cp-2", "cp-3"]);
});

test("a living worker is emptied first, and gets its data disk back", async () => {
  const before = vm(3000)?.config["scsi1"];
  expect(await replaceWell("lab/worker-1")).toMatchInlineSnapshot(`
    "lab   replace                                            lab.yaml, read 0.1s ago

    ± replace  worker-1                on hydra                                  ~3s
                 weak    1 of 2 workers until worker-1 is back: 4 cores, 2 GiB less
                 keeps   data disk
    − remove   pods worker-1           evicted before its machine is            ~30s
                                       removed; they start on other nodes
    − remove   Kubernetes node worker-1                                          ~0s

    3 changes, about 1m 26s: 1 node is made again.
    "
  `);
  expect(before).toBeDefined();
  expect(vm(3000)?.config["scsi1"]).toContain("size=10G");
});

test("a control plane whose machine is gone is refused by up, which names the command that makes it again", async () => {
  await site.removeByHand(2001);
  await site.pass(60_000);
  const { runReport } = await site.up(fleet);
  expect(runReport).toMatchObject({
    outcome: "refused",
    error: {
      code: "RUN_NODE_MAY_LIVE",
      next: "Take it out of etcd and make it again: slipway replace lab/cp-2",
    },
  });
  expect(await replaceWell("cp-2")).toMatchInlineSnapshot(`
    "lab   replace                                            lab.yaml, read 0.1s ago

    + create   cp-2 on hydra           2 cores, 2 GiB, 10.8.0.11                ~35s
    − remove   etcd member cp-2                                                  ~5s
                 weak    2 members until cp-2 votes again: none may fail
    − remove   Kubernetes node cp-2                                              ~0s

    3 changes, about 58s.
    "
  `);
  expect(members()).toEqual(["cp-1", "cp-2", "cp-3"]);
});

test("with one control plane dead, no other one is replaced", whole, async () => {
  await site.stopByHand(2001);
  await site.pass(60_000);
  const { runReport } = await replace("cp-3");
  expect(runReport).toMatchObject({ outcome: "refused", error: { code: "TALOS_ETCD_QUORUM" } });
  expect(runReport.error?.why).toMatchInlineSnapshot(
    `"of the members that stay 1 of 2 are healthy, and 2 have to be: cp-2 cannot be heard; etcd decides by more than half of its members, and without that the Kubernetes API takes no change"`,
  );
  // The dead one is, and volumes that were attached to it can go elsewhere.
  const kube = await openKube(site);
  const attachment = { apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" };
  const attach = (name: string, nodeName: string) =>
    kube.create({
      ...attachment,
      metadata: { name },
      spec: { attacher: "driver.longhorn.io", nodeName, source: { persistentVolumeName: name } },
    });
  await Promise.all([attach("pvc-1", "cp-2"), attach("pvc-2", "worker-1")]);
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "kube-node-lease" };
  const uidOf = async () => (await kube.get({ ...lease, name: "cp-2" }))?.metadata.uid;
  const before = await uidOf();
  await replaceWell("cp-2");
  const left = (await kube.list(attachment)).items.map(({ metadata }) => metadata.name);
  expect(left).toEqual(["pvc-2"]);
  expect(await uidOf()).not.toBe(before);
  kube.close();
});
