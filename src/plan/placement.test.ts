import { expect, test } from "vitest";
import { parseFleet, type Fleet } from "../spec/index.ts";
import { placeNodes, type OwnedMachine, type Survey } from "./index.ts";

function fleetOf(clusters: string): Fleet {
  const hosts = ["hydra", "lyra", "orion"].map(
    (name) =>
      `  ${name}: { proxmox: { url: "https://10.0.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }`,
  );
  const parsed = parseFleet({
    file: "lab.yaml",
    text: `version: 1\nhosts:\n${hosts.join("\n")}\nclusters:\n${clusters}`,
  });
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.fleet;
}

const threeAndThree = `  lab:
    on: [hydra, lyra, orion]
    network: { cidr: 10.0.0.0/24, gateway: .1, vip: .9 }
    controlPlanes: { count: 3, memory: 4GiB, address: .10 }
    workers: { count: 3, memory: 8GiB, address: .20 }
`;

function surveyOf(
  memoryGiB: Record<string, number>,
  machines: OwnedMachine[] = [],
  taken: number[] = [],
): Survey {
  return {
    machines,
    images: [],
    templates: [],
    keptDisks: [],
    silent: [],
    takenVmids: new Map(Object.keys(memoryGiB).map((host) => [host, new Set(taken)])),
    hosts: Object.entries(memoryGiB).map(([host, gib]) => ({
      host,
      software: "Proxmox VE 9.2",
      cores: 32,
      memoryMiB: gib * 1024,
      memoryUsedMiB: 0,
      storages: [],
    })),
  };
}

const roomy = { hydra: 64, lyra: 64, orion: 64 };

function layout(fleet: Fleet, survey: Survey): Record<string, string> {
  const placed = placeNodes(fleet.clusters, fleet.hosts, survey);
  return Object.fromEntries(
    [...placed].flatMap(([, nodes]) =>
      nodes.map(({ node, host, vmid }) => [node.name, `${host.name} ${vmid}`]),
    ),
  );
}

test("placeNodes() puts control planes apart and spreads workers", () => {
  expect(layout(fleetOf(threeAndThree), surveyOf(roomy))).toEqual({
    "cp-1": "hydra 2000",
    "cp-2": "lyra 2001",
    "cp-3": "orion 2002",
    "worker-1": "hydra 3000",
    "worker-2": "lyra 3001",
    "worker-3": "orion 3002",
  });
});

test("placeNodes() passes over a host without room, and VMIDs that others use", () => {
  const found = layout(fleetOf(threeAndThree), surveyOf({ ...roomy, lyra: 5 }, [], [2001, 3000]));
  expect(found["cp-2"]).toBe("lyra 2002");
  expect([found["worker-1"], found["worker-2"], found["worker-3"]]).toEqual([
    "hydra 3001",
    "orion 3002",
    "hydra 3003",
  ]);
});

test("placeNodes() packs onto the first host while it has room", () => {
  const packed = fleetOf(threeAndThree.replace("    network", "    placement: pack\n    network"));
  const hosts = Object.values(layout(packed, surveyOf({ hydra: 20, lyra: 64, orion: 64 }))).map(
    (place) => place.split(" ")[0],
  );
  expect(hosts).toEqual(["hydra", "hydra", "hydra", "hydra", "lyra", "lyra"]);
});

test("placeNodes() leaves a machine that was moved by hand where it is, under its own number", () => {
  const moved: OwnedMachine = {
    cluster: "lab",
    node: "cp-1",
    role: "control-plane",
    host: "orion",
    vmid: 777,
    isRunning: true,
    image: "",
    memoryMiB: 4096,
    cores: 2,
    dataDisksGiB: [],
    isProtected: false,
  };
  const found = layout(fleetOf(threeAndThree), surveyOf(roomy, [moved]));
  expect(found["cp-1"]).toBe("orion 777");
  expect([found["cp-2"], found["cp-3"]]).toEqual(["hydra 2000", "lyra 2001"]);
});

test("placeNodes() never gives one VMID to two clusters of a file", () => {
  const second = threeAndThree
    .replace("lab:", "edge:")
    .replace("vip: .9", "vip: .8")
    .replace(".10 }", ".30 }")
    .replace(".20 }", ".40 }");
  const placed = placeNodes(
    fleetOf(threeAndThree + second).clusters,
    fleetOf(threeAndThree).hosts,
    surveyOf(roomy),
  );
  const vmids = [...placed.values()].flat().map((node) => node.vmid);
  expect(new Set(vmids).size).toBe(12);
});
