import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { conditionOf, type KubeObject } from "../../src/clients/kube/index.ts";
import { apiVersion } from "../../src/controller/index.ts";
import {
  clusterObject,
  fleetSite,
  hostsObject,
  namespace,
  type FleetSite,
} from "../support/controller/fleet-site.ts";
import { peers } from "../support/peers.ts";
import { findHealth, healthOf, howToGetHealth } from "../support/programs/health.ts";

const net = "127.46.7";
const program = findHealth();
const deploy = (name: string): string =>
  readFileSync(path.resolve(import.meta.dirname, "../../deploy", name), "utf8");
const { healthCheckExprs } = parse(deploy("flux/health.yaml"), { merge: true }) as {
  healthCheckExprs: Record<"kind" | "failed" | "current", string>[];
};
const argo = deploy("argocd/health.lua");

/** Objects as the controller leaves them, judged by the code of Flux and Argo CD with what deploy/ has for them. */
describe.skipIf(program === undefined)(`Flux and Argo CD judge the status; ${howToGetHealth}`, peers, () => {
  let site: FleetSite;

  beforeAll(async () => {
    site = await fleetSite({ net, withSecrets: ["lab"] });
    await site.start("one");
    await site.kube.apply(hostsObject(net));
    await site.kube.apply(clusterObject("lab", net));
  });

  afterAll(() => site.close());

  const find = async (kind: string, name: string): Promise<KubeObject> => {
    const found = await site.kube.get({ apiVersion, kind, name, namespace });
    if (!found) throw new Error(`no ${kind} is called ${name}`);
    return found;
  };
  const judged = (object: KubeObject): string[] => {
    const { kind: _kind, ...flux } = healthCheckExprs.find(({ kind }) => kind === object.kind) ?? {};
    const [health] = healthOf(program ?? "", { flux, argo }, [object]);
    return [health?.kstatus ?? "", health?.flux ?? "", health?.argo ?? ""];
  };
  const until = async (reason: string): Promise<KubeObject> => {
    await site.untilCluster("lab", (lab) => conditionOf(lab, "Ready")?.reason === reason);
    return find("SlipwayCluster", "lab");
  };
  const change = (more: Parameters<typeof clusterObject>[2]) =>
    site.kube.apply(clusterObject("lab", net, more), { isForced: true });
  const workers = (memory: string) => ({
    workers: { count: 1, cores: 2, memory, disk: "20GiB", address: ".15", vmid: 3010 },
  });

  test("all three kinds have expressions", () => {
    expect(healthCheckExprs.map(({ kind }) => kind)).toEqual([
      "SlipwayCluster",
      "SlipwayHosts",
      "SlipwayRollout",
    ]);
  });

  test("a cluster that is being made is on its way, and then done", async () => {
    expect(judged(await until("RunInProgress"))).toEqual(["InProgress", "InProgress", "Progressing"]);
    expect(judged(await until("AsWanted"))).toEqual(["Current", "Current", "Healthy"]);
    expect(judged(await find("SlipwayHosts", "rack"))).toEqual(["Current", "Current", "Healthy"]);
  });

  test("an object that was changed since is on its way", async () => {
    const { metadata, ...rest } = await find("SlipwayCluster", "lab");
    const changed = { ...rest, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
    expect(judged(changed)).toEqual(["InProgress", "InProgress", "Progressing"]);
  });

  test("what waits for somebody is suspended to Argo CD, and on its way to Flux", async () => {
    await change({ spec: { apply: "OnApproval" }, cluster: workers("3GiB") });
    expect(judged(await until("AwaitingApproval"))).toEqual(["InProgress", "InProgress", "Suspended"]);
    await change({ spec: { paused: true }, cluster: workers("3GiB") });
    expect(judged(await until("Paused"))).toEqual(["InProgress", "InProgress", "Suspended"]);
  });

  test("what somebody has to mend has failed, with the reason", async () => {
    await change({ cluster: { ...workers("2GiB"), network: { cidr: `${net}.0/24`, gateway: "10.0.0.1" } } });
    const wrong = await until("Invalid");
    expect(judged(wrong)).toEqual(["InProgress", "Failed", "Degraded"]);
    const [health] = healthOf(program ?? "", { flux: { current: "false" }, argo }, [wrong]);
    expect(health?.message).toContain("gateway");
    await change({});
    await until("AsWanted");
  });

  test("a host that does not answer leaves it unknown, not failed", async () => {
    await site.datacenter.proxmox.setNode("hydra", "off");
    expect(judged(await until("Unreachable"))).toEqual(["InProgress", "InProgress", "Unknown"]);
  });

  test("a roll-out that is over counts as done", async () => {
    await site.kube.apply({
      ...{ apiVersion, kind: "SlipwayRollout", metadata: { name: "none", namespace } },
      spec: {
        selector: { matchLabels: { tier: "none" } },
        change: { patches: true },
        rings: [{ name: "all", clusters: "100%" }],
      },
    });
    const phase = async () =>
      (await find("SlipwayRollout", "none"))["status"] as { phase?: string } | undefined;
    await site.time.until(async () => (await phase())?.phase === "Done");
    const done = await find("SlipwayRollout", "none");
    expect(judged(done)).toEqual(["Current", "Current", "Healthy"]);
  });
});
