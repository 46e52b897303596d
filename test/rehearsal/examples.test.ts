import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Fleet } from "../../src/spec/index.ts";
import { timelineOf } from "../support/sim/timeline.ts";
import { expectGolden } from "../support/golden.ts";
import { realisticLatencies } from "../../src/sim/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const folder = path.join(import.meta.dirname, "../../examples");

const exampleOf = (name: string): Fleet => fleetOf(readFileSync(path.join(folder, name), "utf8"));
// Every file that lies there, so that a new example is rehearsed without anybody thinking of it.
const examples = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

/** What they show of its own has a rehearsal of its own; the others are one of each hypervisor and distribution. */
const inFullRuns = [
  "bare-metal.yaml",
  "libvirt-bridge.yaml",
  "libvirt-ha-vip.yaml",
  "libvirt-local.yaml",
  "proxmox-iso-homelab.yaml",
  "proxmox-longhorn-internal.yaml",
  "proxmox-rancher-k3s.yaml",
  "proxmox-templates-three-hosts.yaml",
  "talos-backups.yaml",
  "talos-dhcp.yaml",
  "talos-ha-vip.yaml",
  "talos-many-nics.yaml",
];

describe.each(examples)("examples/%s", (name) => {
  const when = inFullRuns.includes(name) ? whole : {};
  test(
    "comes up at the same times as ever, a second plan finds nothing to do, and down leaves nothing",
    when,
    async () => {
      const fleet = exampleOf(name);
      await using site = await rehearsalSite(fleet, { latencies: realisticLatencies });
      const before = site.machines();
      const up = await site.up(fleet);
      expect(errorsIn(up.events)).toEqual([]);
      expect(up.runReport).toMatchObject({ outcome: "done" });
      expectGolden(timelineOf(up.timed), import.meta.dirname, "testdata/timelines", `${name}.txt`);
      const nodes = fleet.clusters.flatMap((cluster) => cluster.nodes);
      const { proxmox, libvirt } = site.rehearsal.datacenter;
      const domains = Object.values(libvirt.state()).flatMap((host) => Object.values(host.domains));
      const running = [
        ...Object.values(proxmox.state().vms).filter((vm) => vm.running),
        ...domains.filter(({ id }) => id >= 0),
      ];
      expect(running).toHaveLength(nodes.filter(({ machine }) => !machine).length);

      const again = await site.plan(fleet);
      expect(again.changes.map((change) => change.node.id)).toEqual([]);

      const down = await site.down(fleet, { isDataLossAccepted: true });
      expect(errorsIn(down.events)).toEqual([]);
      expect(site.machines()).toEqual(before);
      for (const { domains: left, networks, pools, places } of Object.values(libvirt.state()))
        expect([left, networks, pools, ...Object.values(places).map(({ volumes }) => volumes)]).toEqual(
          [left, networks, pools, ...Object.values(places)].map(() => ({})),
        );
    },
  );
});

test("the examples show what a cluster is there for: network, storage, cloud, GitOps", () => {
  const addonsOf = (name: string) =>
    exampleOf(name).clusters.flatMap((cluster) => cluster.addons.map(({ id }) => id));
  expect(addonsOf("proxmox-iso-homelab.yaml")).toEqual(["cilium"]);
  expect(addonsOf("libvirt-bridge.yaml")).toEqual(["nfs-csi"]);
  expect(addonsOf("proxmox-templates-three-hosts.yaml")).toEqual(["proxmox-ccm", "prometheus-crds", "flux"]);
  expect(addonsOf("proxmox-longhorn-internal.yaml")).toEqual(["cilium", "longhorn", "argocd"]);
});
