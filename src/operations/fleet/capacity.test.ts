import { expect, test } from "vitest";
import { labFile } from "../../../test/support/lab-file.ts";
import { fleetOf } from "../../../test/support/sim/rehearsal-site.ts";
import type { HostFacts, OwnedMachine, Survey } from "../../plan/index.ts";
import { capacityOf } from "./capacity.ts";

const fleet = fleetOf(
  labFile(`  lab:
    on: hydra
    network: { cidr: 192.168.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 4GiB, disk: 20GiB, address: .11, vmid: 2000 }
    workers: { count: 2, cores: 4, memory: 8GiB, disk: 20GiB, address: .21, vmid: 3000 }
`),
  "slipway.yaml",
);

const facts: HostFacts = {
  ...{ host: "hydra", realm: "pve", software: "Proxmox VE 9.1.4", cores: 8, memoryMiB: 65_536 },
  ...{ memoryUsedMiB: 9_000, memoryPromisedMiB: 28_672, coresPromised: 14 },
  storages: [{ name: "local-lvm", freeGiB: 100, totalGiB: 200, type: "lvmthin" }],
};

const machine = (node: string, cluster = "lab"): OwnedMachine => ({
  ...{ cluster, node, role: "worker", host: "hydra", on: "hydra", isRunning: true, image: "" },
  ...{ memoryMiB: 8192, cores: 4, dataDisksGiB: [], keptDisks: [], isProtected: false },
});

const survey = (more: Partial<Survey>): Survey => ({
  ...{ machines: [], images: [], keptDisks: [], keptDisksHolders: [], unreachable: [], hosts: [facts] },
  ...more,
});

test("capacityOf() tells who has how much of a host: each cluster, others, and what is free", () => {
  const machines = [machine("worker-1"), machine("worker-2"), machine("web-1", "gone")];
  const { hosts, unknown } = capacityOf(fleet, survey({ machines }));
  expect(hosts).toMatchObject([
    {
      ...{ host: "hydra", memoryMiB: 65_536, memoryFreeMiB: 36_864 },
      clusters: [
        { cluster: "lab", machines: 2, memoryMiB: 16_384, cores: 8 },
        { cluster: "gone", machines: 1, memoryMiB: 8192, cores: 4 },
      ],
      storages: [{ name: "local-lvm", freeGiB: 100, totalGiB: 200 }],
    },
  ]);
  expect(unknown).toEqual([]);
});

test("capacityOf() says whether another cluster like it would fit, and what would lack", () => {
  const another = (memoryPromisedMiB: number, coresPromised = 14) =>
    capacityOf(fleet, survey({ hosts: [{ ...facts, memoryPromisedMiB, coresPromised }] })).another;
  expect(another(28_672)).toEqual([
    {
      ...{ cluster: "lab", fits: true },
      text: "memory and cores are enough; its disks would take 60 GiB in all",
    },
  ]);
  expect(another(50_000)).toMatchObject([{ fits: false, text: "hydra would lack 4.8 GiB of memory" }]);
  expect(another(50_000, 63)).toMatchObject([
    { fits: false, text: "hydra would lack 4.8 GiB of memory and 9 cores" },
  ]);
});

test("capacityOf() names the host that did not tell, with its reason, and promises nothing there", () => {
  const error = { code: "PVE_UNREACHABLE", what: "", why: "192.168.1.10:8006 refused", next: "" };
  const { hosts, unknown, another } = capacityOf(
    fleet,
    survey({ hosts: [], unreachable: [{ host: "hydra", error }] }),
  );
  expect(hosts).toEqual([]);
  expect(unknown).toEqual([{ host: "hydra", why: "192.168.1.10:8006 refused" }]);
  expect(another).toMatchObject([{ fits: false, text: "hydra did not tell what it has" }]);
});
