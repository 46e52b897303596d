import { afterAll, beforeAll, expect, test } from "vitest";
import { connectKube, type KubeClient, type KubeSecret } from "../../src/clients/kube/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  isReady,
  namespace,
  type FleetSite,
} from "../support/controller/fleet-site.ts";
import { whole } from "../support/whole-sweep.ts";

const net = "127.46.2";
let site: FleetSite;
let lab: KubeClient;

beforeAll(async () => {
  site = await fleetSite({ net, withSecrets: ["lab"] });
  await site.kube.apply(hostsObject(net));
});

afterAll(async () => {
  lab.close();
  await site.close();
});

const workers = (memory: string) => ({
  workers: { count: 2, cores: 2, memory, disk: "20GiB", address: ".15", vmid: 3010 },
});
const memories = (): unknown[] =>
  [3010, 3011].map((vmid) => site.datacenter.proxmox.state().vms[vmid]?.config["memory"]);

/** A pod that its budget keeps where it is. */
async function holdPods(): Promise<void> {
  const labels = { app: "web" };
  await lab.apply({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  await lab.apply({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { minAvailable: 2, selector: { matchLabels: labels } },
  });
}

test(
  "a leader that loses its Lease in the middle of a drain ends the drain, begins nothing new, and another goes on",
  whole,
  async () => {
    const { time } = site;
    const one = await site.start("one");
    await site.kube.apply(clusterObject("lab", net, { cluster: workers("2GiB") }));
    await site.untilCluster("lab", isReady);
    const two = await site.start("two");
    const published = await site.kube.get<KubeSecret>({
      apiVersion: "v1",
      kind: "Secret",
      name: "lab-kubeconfig",
      namespace,
    });
    lab = connectKube({
      kubeconfig: Buffer.from(published?.data?.["value"] ?? "", "base64").toString("utf8"),
      dial: site.dial,
      clock: time.clock,
    });
    await holdPods();
    await time.until(
      async () =>
        (await lab.list({ apiVersion: "v1", kind: "Pod", namespace: "default" })).items.length === 2,
    );
    await site.kube.apply(clusterObject("lab", net, { cluster: workers("3GiB") }));
    const cordoned = async () =>
      (await lab.nodes()).filter(({ spec }) => spec?.unschedulable).map(({ metadata }) => metadata.name);
    await time.until(async () => (await cordoned()).length > 0);
    const [draining] = await cordoned();

    one.cut();
    const cutAt = time.clock.now();
    await time.until(() => two.isLeading());
    expect(time.clock.now() - cutAt).toBeLessThan(20_000);
    // The drain goes on for as long as the budget holds it, and the new leader waits for the lock.
    await time.clock.sleep(60_000);
    expect(memories()).toEqual(["2048", "2048"]);
    expect(await cordoned()).toEqual([draining]);

    let endedWith: string[] = [];
    const ended = one.ended.then((end) => {
      endedWith = memories().map(String);
      return end;
    });
    await lab.delete({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      name: "web",
      namespace: "default",
    });
    expect(await time.during(ended)).toBe("lost");
    expect(endedWith.toSorted((a, b) => a.localeCompare(b))).toEqual(["2048", "3072"]);

    await site.untilCluster("lab", isReady);
    expect(memories()).toEqual(["3072", "3072"]);
    expect(await cordoned()).toEqual([]);
    const stops = Object.values(site.datacenter.proxmox.state().tasks)
      .filter(({ type }) => type === "qmshutdown" || type === "qmstop" || type === "qmreboot")
      .map(({ id }) => id);
    expect(stops.toSorted()).toEqual(["3010", "3011"]);
  },
);
