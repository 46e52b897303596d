import { expect, test } from "vitest";
import { assemble } from "../../src/operations/planning/assemble.ts";
import { connectKube, type KubeClient } from "../../src/clients/kube/index.ts";
import type { ClusterFault } from "../../src/sim/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.18.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  manager:
    k3s: { user: debian }
    image: &image { url: "https://images.example.org/debian-12-genericcloud-amd64.qcow2" }
    network: { cidr: 10.18.0.0/24, hosts: { rancher.lab: .10 } }
    controlPlanes: { count: 1, address: .10 }
    addons: [{ rancher: { hostname: rancher.lab } }]
  apps:
    registerWith: manager
    k3s: { user: debian }
    image: *image
    network: { cidr: 10.18.0.0/24, hosts: { rancher.lab: .10 } }
    controlPlanes: { count: 1, address: .20 }
`);

async function kubeOf(site: RehearsalSite, name: string): Promise<KubeClient> {
  const world = site.rehearsal.world(new AbortController().signal, () => undefined);
  const cluster = fleet.clusters.find((each) => each.name === name);
  const text = cluster && (await assemble(world, fleet).distribution.kubeconfig(cluster));
  return connectKube({ clock: world.clock, kubeconfig: text ?? "", dial: world.dialFor(name) });
}

async function registering(faults: ClusterFault[]): Promise<string[]> {
  await using site = await rehearsalSite(fleet);
  for (const fault of faults) site.rehearsal.datacenter.faults.cluster.add(fault);
  const { events } = await site.up(fleet);
  return errorsIn(events);
}

test("pain-40-a-registration-that-hangs: a name that no pod can resolve is told before anything is registered (rancher2#1003, rancher/rancher#47112)", async () => {
  const errors = await registering([{ kind: "name-unknown", workload: "slipway-registration/question" }]);
  expect(errors).toEqual([expect.stringContaining("RANCHER_NOT_REACHED")]);
  expect(errors[0]).toContain("bad address");
});

test("an agent that meets another certificate ends the wait at once, in its own words", async () => {
  const errors = await registering([{ kind: "authority-differs" }]);
  expect(errors).toEqual([expect.stringContaining("RANCHER_AGENT_REFUSES")]);
});

test(
  "a cluster of somebody else with the same name is never touched; one that is stuck is let go by force",
  whole,
  async () => {
    await using site = await rehearsalSite(fleet);
    await site.up(fleet, { selection: { cluster: "manager" } });
    const kube = await kubeOf(site, "manager");
    const theirs = {
      apiVersion: "provisioning.cattle.io/v1",
      kind: "Cluster",
      metadata: { name: "apps", namespace: "fleet-default" },
      spec: {},
    };
    await kube.create(theirs);
    const taken = await site.up(fleet);
    expect(errorsIn(taken.events)).toEqual([expect.stringContaining("RANCHER_NAME_TAKEN")]);
    await kube.delete({ ...theirs, name: "apps", namespace: "fleet-default" });
    expect((await site.up(fleet)).runReport.outcome).toBe("done");

    site.rehearsal.datacenter.faults.cluster.add({ kind: "removal-stuck" });
    const down = await site.down(fleet, { selection: { cluster: "apps" } });
    expect(down.runReport.outcome).toBe("done");
    expect(
      down.events.flatMap((event) => (event.type === "log" && event.level === "warn" ? event.text : [])),
    ).toContain("Rancher did not finish with apps in time; its record is removed by force");
    const left = await kube.get({ ...theirs, name: "apps", namespace: "fleet-default" });
    expect(left).toBeUndefined();
  },
);
