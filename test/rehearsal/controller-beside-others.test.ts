import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conditionOf } from "../../src/clients/kube/index.ts";
import { upFleet } from "../../src/operations/index.ts";
import { defaultDatacenter } from "../../src/sim/index.ts";
import { realWorld, slipwayFolder } from "../../src/world/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  isReady,
  namespace,
  type FleetSite,
  type StartedController,
} from "../support/controller/fleet-site.ts";
import { labFile } from "../support/lab-file.ts";
import { giveLabSecrets } from "../support/sim/lab-secrets.ts";
import { fleetOf } from "../support/sim/rehearsal-site.ts";

/** A controller works beside controllers of other hosts, and beside people who type. */

const net = "127.46.9";
const sharesOf = ["north", "west"] as const;
let site: FleetSite;
let zero: StartedController;
let one: StartedController;
/** Machines each of them has asked Proxmox to make. */
const made = new Map<string, number>();

const startShare = async (index: number, identity: string): Promise<StartedController> => {
  const controller = await site.start(identity, { shard: { index, count: 2 } });
  controller.trace.listen(({ call }) => {
    if (call.startsWith("POST") && call.endsWith("/qemu")) made.set(identity, (made.get(identity) ?? 0) + 1);
  });
  return controller;
};
const hostsOf = (name: string) => ({ ...hostsObject(net), metadata: { name, namespace } });
const lab = (memory: string) =>
  site.kube.apply(
    clusterObject("lab", net, {
      spec: { hosts: sharesOf[0] },
      cluster: { workers: { count: 1, cores: 2, memory, disk: "20GiB", address: ".15", vmid: 3010 } },
    }),
    { isForced: true },
  );
const memoryOf = (vmid: number): unknown => site.datacenter.proxmox.state().vms[vmid]?.config["memory"];

beforeAll(async () => {
  site = await fleetSite({ net, withSecrets: ["lab"] });
  [zero, one] = [await startShare(0, "zero"), await startShare(1, "one")];
  for (const name of sharesOf) await site.kube.apply(hostsOf(name));
});

afterAll(() => site.close());

test("two controllers share a fleet by its hosts: each leads, and each makes the clusters of its own", async () => {
  await lab("2GiB");
  await site.kube.apply(clusterObject("other", net, { spec: { hosts: sharesOf[1] }, first: 30 }));
  await site.untilCluster("lab", isReady);
  await site.untilCluster("other", isReady);
  expect([zero.isLeading(), one.isLeading()]).toEqual([true, true]);
  // Two machines, and the lock, which Proxmox keeps as one.
  expect(Object.fromEntries(made)).toEqual({ zero: 3, one: 3 });
});

test("clusters of a controller that has gone wait for it, and are nobody else's", async () => {
  one.halt.abort();
  expect(await site.time.during(one.ended)).toBe("halted");
  await lab("3GiB");
  await site.time.clock.sleep(15 * 60_000);
  expect(memoryOf(3010)).toBe("2048");
  await startShare(1, "one again");
  await site.untilCluster("lab", isReady);
  expect(memoryOf(3010)).toBe("3072");
});

/** What `slipway up` of somebody with a file of the same cluster does; `confirm` is the question it asks. */
async function upByHand(memory: string, confirm: () => Promise<boolean>) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-hand-"));
  const file = path.join(folder, "slipway.yaml");
  await writeFile(path.join(folder, "ca.pem"), site.datacenter.ca);
  await giveLabSecrets(slipwayFolder(file));
  const text = labFile(
    `  lab:
    on: hydra
    network: { cidr: ${net}.0/24, gateway: .254 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .10, vmid: 2010 }
    workers: { count: 1, cores: 2, memory: ${memory}, disk: 20GiB, address: .15, vmid: 3010 }
`,
    { url: `https://${net}.250:8006` },
  ).replace("env: PVE_TOKEN } }", "env: PVE_TOKEN } }\n      tls: { ca: ./ca.pem }");
  const fleet = fleetOf(text, file);
  const world = realWorld({
    ...{ file, fleet, stop: new AbortController().signal, tell: () => {} },
    env: { PVE_TOKEN: defaultDatacenter().tokens["slipway@pve!main"]?.secret },
    simulated: { clock: site.time.clock, dial: site.dial },
  });
  const request = { selection: {}, until: "addons" as const, acceptDataLoss: [] };
  try {
    return await site.time.during(upFleet({ fleet, ...request, confirm }, world));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("while somebody works on a cluster by hand, the controller waits, says for whom, and goes on afterwards", async () => {
  const report = await upByHand("4GiB", async () => {
    await lab("5GiB");
    const held = await site.untilCluster("lab", (cluster) => cluster.status?.lastRun?.outcome === "failed");
    expect(conditionOf(held, "Ready")?.message).toMatch(
      /"slipway up" of \S+ on \S+ has been working on it since/,
    );
    expect(memoryOf(3010)).toBe("3072");
    return false;
  });
  expect(report).toMatchObject({ outcome: "refused", error: { code: "RUN_NOT_CONFIRMED" } });
  await site.untilCluster("lab", isReady);
  expect(memoryOf(3010)).toBe("5120");
});

test("while the controller works on a cluster, who types is told so, and nothing is done twice", async () => {
  await lab("6GiB");
  await site.untilCluster("lab", (cluster) => conditionOf(cluster, "RollingOut")?.status === "True");
  const report = await upByHand("4GiB", () => Promise.reject(new Error("nobody is asked")));
  expect(report).toMatchObject({ error: { code: "RUN_CLUSTER_HELD" } });
  await site.untilCluster("lab", isReady);
  expect(memoryOf(3010)).toBe("6144");
});
