import { expect, test } from "vitest";
import { parseFleet, type Fleet } from "../../spec/index.ts";
import { VmidLedger } from "../../providers/proxmox/vmids.ts";
import { placeNodes, withTopology, type OwnedMachine, type Survey } from "../index.ts";

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
    keptDisks: [],
    keptDisksHolders: [],
    unreachable: [],
    hosts: Object.entries(memoryGiB).map(([host, gib]) => ({
      host,
      realm: "lab",
      software: "Proxmox VE 9.2",
      cores: 32,
      memoryMiB: gib * 1024,
      memoryUsedMiB: 0,
      memoryPromisedMiB: 0,
      coresPromised: 0,
      storages: [],
    })),
    own: { proxmox: { taken: Object.fromEntries(Object.keys(memoryGiB).map((host) => [host, taken])) } },
  };
}

const roomy = { hydra: 64, lyra: 64, orion: 64 };

const placeAll = (fleet: Fleet, survey: Survey) =>
  placeNodes(fleet.clusters, fleet.hosts, survey, new VmidLedger(survey, fleet.clusters));

function layout(fleet: Fleet, survey: Survey): Record<string, string> {
  const placed = placeAll(fleet, survey);
  return Object.fromEntries(
    [...placed].flatMap(([, nodes]) => nodes.map(({ node, host, id }) => [node.name, `${host.name} ${id}`])),
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

test("placeNodes() puts a node where its data disks were kept", () => {
  const disk = {
    node: "worker-1",
    host: "orion",
    on: "orion",
    index: 0,
    sizeGiB: 50,
    holder: 9200,
    volume: "v",
  };
  const fleet = fleetOf(threeAndThree);
  const kept = fleet.clusters.map(({ name }) => ({ ...disk, cluster: name }));
  expect(layout(fleet, { ...surveyOf(roomy), keptDisks: kept })["worker-1"]).toMatch(/^orion /);
});

test("placeNodes() passes over a host without room, and VMIDs that others use", () => {
  const found = layout(fleetOf(threeAndThree), surveyOf({ ...roomy, lyra: 5 }, [], [2001, 3000]));
  expect(found["cp-2"]).toBe("orion 2002");
  expect(found["cp-3"]).toBe("lyra 2003");
  expect([found["worker-1"], found["worker-2"], found["worker-3"]]).toEqual([
    "hydra 3001",
    "orion 3002",
    "hydra 3003",
  ]);
});

const hostsOf = (found: Record<string, string>): string[] =>
  Object.values(found).map((place) => place.split(" ")[0] ?? "");

test("placeNodes() packs workers onto one host after the other, and still keeps control planes apart", () => {
  const packed = fleetOf(threeAndThree.replace("    network", "    placement: pack\n    network"));
  expect(hostsOf(layout(packed, surveyOf({ hydra: 20, lyra: 64, orion: 64 })))).toEqual([
    "hydra",
    "lyra",
    "orion",
    "hydra",
    "hydra",
    "lyra",
  ]);
});

/** The same host with other numbers. */
const withFacts = (survey: Survey, host: string, facts: Partial<Survey["hosts"][number]>): Survey => ({
  ...survey,
  hosts: survey.hosts.map((each) => (each.host === host ? { ...each, ...facts } : each)),
});

test("placeNodes() counts what was promised to machines, not what they happen to use", () => {
  const promised = withFacts(surveyOf(roomy), "lyra", { memoryUsedMiB: 2048, memoryPromisedMiB: 62 * 1024 });
  expect(hostsOf(layout(fleetOf(threeAndThree), promised))).not.toContain("lyra");
});

test("placeNodes() promises as much more as overcommit allows, and no more", () => {
  const more = (ratio: number): Fleet => {
    const fleet = fleetOf(threeAndThree);
    return {
      ...fleet,
      hosts: fleet.hosts.map((host) => ({ ...host, overcommit: { memory: ratio, cores: 8 } })),
    };
  };
  const full = withFacts(surveyOf(roomy), "lyra", { memoryPromisedMiB: 64 * 1024 });
  const onLyra = (fleet: Fleet) => hostsOf(layout(fleet, full)).filter((host) => host === "lyra").length;
  expect(onLyra(more(1))).toBe(0);
  expect(onLyra(more(1.1))).toBe(1);
  expect(onLyra(more(1.5))).toBe(2);
});

test("placeNodes() looks at cores as well: those promised, and those one machine may have at most", () => {
  const crowded = withFacts(surveyOf(roomy), "hydra", { coresPromised: 32 * 8 });
  expect(hostsOf(layout(fleetOf(threeAndThree), crowded))).not.toContain("hydra");
  const wide = fleetOf(threeAndThree.replace("workers: { count: 3,", "workers: { count: 3, cores: 16,"));
  const small = withFacts(surveyOf(roomy), "lyra", { cores: 8 });
  expect(hostsOf(layout(wide, small)).slice(3)).toEqual(["hydra", "orion", "hydra"]);
});

test("placeNodes() begins with the emptiest host, so that small clusters do not all land on the first", () => {
  const single = (name: string, address: number) => `  ${name}:
    on: [hydra, lyra, orion]
    network: { cidr: 10.0.0.0/24, gateway: .1 }
    controlPlanes: { count: 1, memory: 4GiB, address: .${address} }
`;
  const fleet = fleetOf(single("a", 10) + single("b", 11) + single("c", 12));
  const placed = placeAll(fleet, surveyOf(roomy));
  expect([...placed.values()].flat().map(({ host }) => host.name)).toEqual(["hydra", "lyra", "orion"]);
});

test("placeNodes() answers the same question the same way, whatever the hosts are busy with", () => {
  const busy = withFacts(surveyOf(roomy), "hydra", { memoryUsedMiB: 20 * 1024 });
  expect(layout(fleetOf(threeAndThree), busy)).toEqual(layout(fleetOf(threeAndThree), surveyOf(roomy)));
});

test("placeNodes() holds a pinned node to its host, room or not", () => {
  const pinned = fleetOf(
    threeAndThree.replace("address: .20 }", "address: .20, nodes: { worker-2: { on: orion } } }"),
  );
  expect(layout(pinned, surveyOf({ ...roomy, orion: 2 }))["worker-2"]).toBe("orion 3001");
});

test("placeNodes() leaves a machine that was moved by hand where it is, under its own number", () => {
  const moved: OwnedMachine = {
    cluster: "lab",
    node: "cp-1",
    role: "control-plane",
    host: "orion",
    on: "orion",
    id: 777,
    isRunning: true,
    image: "",
    memoryMiB: 4096,
    cores: 2,
    dataDisksGiB: [],
    keptDisks: [],
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
  const placed = placeAll(fleetOf(threeAndThree + second), surveyOf(roomy));
  const vmids = [...placed.values()].flat().map((node) => node.id);
  expect(new Set(vmids).size).toBe(12);
});

test("pain 05: a machine moved to a node the file does not name keeps its number and is labelled with where it is", () => {
  const moved: OwnedMachine = {
    cluster: "lab",
    node: "cp-1",
    role: "control-plane",
    host: "hydra",
    on: "vega",
    id: 777,
    isRunning: true,
    image: "",
    memoryMiB: 4096,
    cores: 2,
    dataDisksGiB: [],
    keptDisks: [],
    isProtected: false,
  };
  const fleet = fleetOf(threeAndThree);
  const placed = placeAll(fleet, surveyOf(roomy, [moved])).get("lab") ?? [];
  expect(placed[0]).toMatchObject({ id: 777, on: "vega" });
  // It takes no room from hydra, so the next control plane may go there.
  expect(placed.slice(1, 3).map(({ host }) => host.name)).toEqual(["hydra", "lyra"]);
  const [cluster] = fleet.clusters;
  if (!cluster) throw new Error("no cluster");
  expect(
    withTopology(cluster, placed).nodes.map((node) => node.labels["topology.kubernetes.io/zone"]),
  ).toEqual(["vega", "hydra", "lyra", "orion", "hydra", "lyra"]);
});

test("withTopology() adds the region of the host, and lets the file's own labels win", () => {
  const fleet = fleetOf(
    threeAndThree.replace(
      "address: .20 }",
      'address: .20, labels: { "topology.kubernetes.io/zone": rack-7 } }',
    ),
  );
  const hosts = fleet.hosts.map((host) => ({ ...host, region: "basement" }));
  const [cluster] = fleet.clusters;
  if (!cluster) throw new Error("no cluster");
  const placed = placeAll({ ...fleet, hosts }, surveyOf(roomy)).get("lab") ?? [];
  const labelled = withTopology(cluster, placed).nodes;
  expect(labelled[0]?.labels).toEqual({
    "topology.kubernetes.io/zone": "hydra",
    "topology.kubernetes.io/region": "basement",
  });
  expect(labelled[3]?.labels).toEqual({
    "topology.kubernetes.io/zone": "rack-7",
    "topology.kubernetes.io/region": "basement",
  });
});
