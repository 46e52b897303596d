import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { machineNameOf, type Cluster } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const folder = path.join(import.meta.dirname, "testdata/seeds");
const fleetIn = (name: string) => fleetOf(readFileSync(path.join(folder, name), "utf8"));

/** One line per machine: name, VMID, address, cores, memory, disks. */
const machinesOf = (cluster: Cluster): string[] =>
  cluster.nodes.map(({ name, vmid, address, cores, memoryMiB, diskGiB, dataDisks }) =>
    [
      machineNameOf(cluster, name, "{node}"),
      ...(vmid === undefined ? [] : [vmid]),
      address,
      `${cores} cores ${memoryMiB / 1024} GiB`,
      [diskGiB, ...dataDisks.map(({ sizeGiB }) => sizeGiB)].join("+"),
    ].join(" "),
  );

test("the setups people have today can be written with their own names and numbers", () => {
  const machines = (name: string) => fleetIn(name).clusters.flatMap(machinesOf);
  expect(machines("iso-homelab.yaml")).toEqual([
    "talos-cp-01 2000 192.168.1.101 2 cores 2 GiB 50",
    "talos-w-01 3000 192.168.1.102 4 cores 3 GiB 50+50",
    "talos-w-02 3001 192.168.1.103 4 cores 3 GiB 50+50",
  ]);
  expect(machines("libvirt-terraform.yaml").map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "talos-cp-1 10.0.0.70",
    "talos-w-1 10.0.0.80",
    "talos-w-2 10.0.0.81",
  ]);
  expect(machines("proxmox-templates.yaml")).toEqual([
    ...[0, 1, 2].map((n) => `cp-${n + 1} ${2000 + n} 10.20.0.${10 + n} 4 cores 4 GiB 20`),
    ...[0, 1, 2].map((n) => `worker-${n + 1} ${3000 + n} 10.20.0.${20 + n} 8 cores 8 GiB 50`),
  ]);
  expect(machines("rancher-k3s.yaml")).toEqual([
    ...[0, 1, 2].map((n) => `rancher-manager-${n + 1} ${401 + n} 192.168.1.${100 + n} 4 cores 8 GiB 20`),
    ...[0, 1, 2].map((n) => `nprd-apps-${n + 1} ${404 + n} 192.168.1.${110 + n} 4 cores 8 GiB 20`),
  ]);
  expect(machines("internal-longhorn.yaml")).toEqual([
    "cp-0 110 10.10.0.10 2 cores 4 GiB 20",
    "worker-0 120 10.10.0.20 4 cores 8 GiB 20+20",
    "worker-1 121 10.10.0.21 4 cores 8 GiB 20+20",
  ]);
});

test("and so can what they are plugged into, started from and run", () => {
  const facts = readdirSync(folder).map((name) => {
    const [cluster] = fleetIn(name).clusters;
    const { network, bootSource, addons } = cluster ?? {};
    const { cidr, gateway, dns, bridge, vlan, vip } = network ?? {};
    return {
      name,
      network: { cidr, gateway, dns, bridge, vlan, vip },
      from: bootSource?.kind,
      addons: addons?.map(({ id }) => id),
    };
  });
  expect(facts).toMatchInlineSnapshot(`
    [
      {
        "addons": [
          "cilium",
          "longhorn",
          "argocd",
        ],
        "from": "iso",
        "name": "internal-longhorn.yaml",
        "network": {
          "bridge": "vmbr1",
          "cidr": "10.10.0.0/24",
          "dns": [],
          "gateway": "10.10.0.1",
          "vip": undefined,
          "vlan": undefined,
        },
      },
      {
        "addons": [
          "cilium",
        ],
        "from": "iso",
        "name": "iso-homelab.yaml",
        "network": {
          "bridge": "vmbr0",
          "cidr": "192.168.1.0/24",
          "dns": [
            "192.168.1.3",
          ],
          "gateway": "192.168.1.3",
          "vip": undefined,
          "vlan": undefined,
        },
      },
      {
        "addons": [],
        "from": "image",
        "name": "libvirt-terraform.yaml",
        "network": {
          "bridge": "br0",
          "cidr": "10.0.0.0/24",
          "dns": [
            "10.0.0.1",
          ],
          "gateway": "10.0.0.1",
          "vip": undefined,
          "vlan": undefined,
        },
      },
      {
        "addons": [
          "proxmox-ccm",
          "prometheus-crds",
          "flux",
        ],
        "from": "template",
        "name": "proxmox-templates.yaml",
        "network": {
          "bridge": "vmbr0",
          "cidr": "10.20.0.0/24",
          "dns": [
            "10.20.0.1",
            "1.1.1.1",
          ],
          "gateway": "10.20.0.1",
          "vip": "10.20.0.9",
          "vlan": undefined,
        },
      },
      {
        "addons": [
          "rancher",
        ],
        "from": "existing",
        "name": "rancher-k3s.yaml",
        "network": {
          "bridge": "vmbr0",
          "cidr": "192.168.1.0/24",
          "dns": [
            "192.168.1.1",
            "192.168.1.2",
          ],
          "gateway": "192.168.1.1",
          "vip": "192.168.1.99",
          "vlan": 14,
        },
      },
    ]
  `);
});

test.each(readdirSync(folder))(
  "%s comes up, and a second plan finds nothing to do",
  { ...whole, timeout: 600_000 },
  async (name) => {
    const fleet = fleetIn(name);
    await using site = await rehearsalSite(fleet);
    const up = await site.up(fleet);
    expect(errorsIn(up.events)).toEqual([]);
    expect(up.runReport.outcome).toBe("done");
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);
