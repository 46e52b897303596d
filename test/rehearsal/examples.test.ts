import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { rehearseFleet } from "../../src/operations/index.ts";
import { machineStep, placeNodes } from "../../src/plan/index.ts";
import { libvirtProvider } from "../../src/providers/libvirt/index.ts";
import { isLibvirtHost, type Fleet, type LibvirtHost } from "../../src/spec/index.ts";
import { emptySurvey, siteNeeds } from "../support/proxmox/site.ts";
import { timelineOf } from "../support/sim/timeline.ts";
import { expectGolden } from "../support/golden.ts";
import { realisticLatencies } from "../../src/sim/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const folder = path.join(import.meta.dirname, "../../examples");

const exampleOf = (name: string): Fleet => fleetOf(readFileSync(path.join(folder, name), "utf8"));
const examples = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const isOnLibvirt = (name: string): boolean => exampleOf(name).hosts.some(isLibvirtHost);

// Every file that lies there, so that a new example is rehearsed without anybody thinking of it.
test.each(examples.filter((name) => !isOnLibvirt(name)))(
  "examples/%s comes up at the same times as ever, a second plan finds nothing to do, and down leaves nothing",
  { timeout: 600_000 },
  async (name) => {
    const fleet = exampleOf(name);
    await using site = await rehearsalSite(fleet, { latencies: realisticLatencies });
    const before = site.machines();
    const up = await site.up(fleet);
    expect(errorsIn(up.events)).toEqual([]);
    expect(up.runReport).toMatchObject({ outcome: "done" });
    expectGolden(timelineOf(up.timed), import.meta.dirname, "testdata/timelines", `${name}.txt`);
    const nodes = fleet.clusters.flatMap((cluster) => cluster.nodes);
    const machines = Object.values(site.rehearsal.datacenter.proxmox.state().vms);
    expect(machines.filter((vm) => vm.running)).toHaveLength(nodes.filter(({ machine }) => !machine).length);

    const again = await site.plan(fleet);
    expect(again.changes.map((change) => change.node.id)).toEqual([]);

    const down = await site.down(fleet, { isDataLossAccepted: true });
    expect(errorsIn(down.events)).toEqual([]);
    expect(site.machines()).toEqual(before);
  },
);

test("the examples show what a cluster is there for: network, storage, cloud, GitOps", () => {
  const addonsOf = (name: string) =>
    exampleOf(name).clusters.flatMap((cluster) => cluster.addons.map(({ id }) => id));
  expect(addonsOf("proxmox-iso-homelab.yaml")).toEqual(["cilium"]);
  expect(addonsOf("libvirt-bridge.yaml")).toEqual(["nfs-csi"]);
  expect(addonsOf("proxmox-templates-three-hosts.yaml")).toEqual(["proxmox-ccm", "prometheus-crds", "flux"]);
  expect(addonsOf("proxmox-longhorn-internal.yaml")).toEqual(["cilium", "longhorn", "argocd"]);
});

const roomyHost = ({ name }: LibvirtHost) => ({
  host: name,
  realm: name,
  software: "libvirt",
  cores: 16,
  memoryMiB: 65_536,
  memoryUsedMiB: 0,
  memoryPromisedMiB: 0,
  coresPromised: 0,
  storages: [],
});

// libvirt is not simulated: these are described without a daemon, and made for real elsewhere.
test.each(examples.filter(isOnLibvirt))(
  "examples/%s is described to its last machine, and its rehearsal is refused",
  async (name) => {
    const fleet = exampleOf(name);
    const hosts = fleet.hosts.filter(isLibvirtHost);
    const survey = emptySurvey({ hosts: hosts.map(roomyHost) });
    const provider = libvirtProvider({ connect: () => Promise.reject(new Error("no daemon here")) }).open(
      hosts,
    );
    const placed = placeNodes(fleet.clusters, hosts, survey, { forNode: () => undefined });
    for (const cluster of fleet.clusters) {
      const here = (placed.get(cluster.name) ?? []).filter(
        (each): each is typeof each & { host: LibvirtHost } => isLibvirtHost(each.host),
      );
      const graph = provider.describe(cluster, here, siteNeeds(survey));
      const ids = graph.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => id.includes("/machine/"))).toEqual(
        cluster.nodes.map((node) => machineStep(cluster.name, node.name)),
      );
      expect(ids.filter((id) => id.includes("/pool/"))).toHaveLength(cluster.on.length);
      const isOwn = cluster.network.libvirt?.kind === "create";
      expect(ids.filter((id) => id.includes("/network/"))).toHaveLength(isOwn ? 1 : 0);
      for (const { after } of graph) for (const id of after) expect(ids).toContain(id);
    }
    const never = new AbortController().signal;
    const request = { fleet, selection: {}, speed: 1, stop: never, openStream: () => () => {} };
    await expect(rehearseFleet(request)).rejects.toMatchObject({ code: "RUN_NOT_SIMULATED" });
  },
);
