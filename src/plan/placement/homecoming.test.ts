import { expect, test } from "vitest";
import { parseFleet } from "../../spec/index.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { MoveOutlook, Survey } from "../contract/provider.ts";
import { placeLeaving } from "./evacuation.ts";
import { machinesToReturn } from "./homecoming.ts";

const names = ["hydra", "lyra", "orion"];
const fleet = (more = "") => {
  const text = `version: 1
hosts:
${names.map((name, n) => `  ${name}: { proxmox: { url: "https://10.0.0.${n + 1}:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }`).join("\n")}
clusters:
  lab:
    on: [hydra, lyra, orion]
    network: { cidr: 10.0.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 4GiB, address: .10 }
    workers: { count: 3, memory: 4GiB, address: .20${more} }
`;
  const parsed = parseFleet({ file: "lab.yaml", text });
  if ("problems" in parsed) throw new Error(parsed.problems.map((problem) => problem.what).join("; "));
  return parsed.fleet;
};

const machine = (node: string, on: string): OwnedMachine => ({
  ...{ cluster: "lab", node, host: on, on, id: 100, isRunning: true, image: "", memoryMiB: 4096, cores: 2 },
  role: node.startsWith("cp") ? "control-plane" : "worker",
  ...{ dataDisksGiB: [], keptDisks: [], isProtected: false },
});

const surveyOf = (places: Record<string, string>, memoryGiB: Record<string, number> = {}): Survey => {
  const machines = Object.entries(places).map(([node, on]) => machine(node, on));
  return {
    ...{ machines, images: [], keptDisks: [], keptDisksHolders: [], unreachable: [] },
    hosts: names.map((host) => {
      const here = machines.filter(({ on }) => on === host);
      return {
        ...{ host, realm: "one", software: "", cores: 32, memoryMiB: (memoryGiB[host] ?? 64) * 1024 },
        memoryUsedMiB: 0,
        memoryPromisedMiB: here.length * 4096,
        coresPromised: here.length * 2,
        storages: [{ name: "local-lvm", freeGiB: 100, totalGiB: 200 }],
      };
    }),
  };
};

const atHome = {
  ...{ "cp-1": "hydra", "cp-2": "lyra", "cp-3": "orion" },
  ...{ "worker-1": "hydra", "worker-2": "lyra", "worker-3": "orion" },
};

function returning(places: Record<string, string>, more = ""): string[] {
  const { clusters, hosts } = fleet(more);
  const [cluster, home] = [clusters[0], hosts[0]];
  if (!cluster || !home) throw new Error("no cluster");
  return machinesToReturn(cluster, home, hosts, surveyOf(places)).map(({ node }) => node);
}

test("machinesToReturn() brings back the machines that the file puts there", () => {
  expect(returning(atHome)).toEqual([]);
  expect(returning({ ...atHome, "cp-1": "lyra", "worker-1": "orion" })).toEqual(["cp-1", "worker-1"]);
});

test("machinesToReturn() evens out, whoever stood there before", () => {
  const swapped = { ...atHome, "cp-1": "orion", "cp-3": "lyra" };
  expect(returning(swapped)).toEqual(["cp-1"]);
  expect(returning({ ...atHome, "cp-1": "lyra", "cp-2": "hydra", "cp-3": "lyra" })).toEqual([]);
});

test("machinesToReturn() brings a pinned node home, and leaves one that is pinned elsewhere", () => {
  const pinned = ", nodes: { worker-3: { on: hydra }, worker-1: { on: lyra } }";
  const places = { ...atHome, "worker-1": "lyra", "worker-2": "lyra", "worker-3": "orion" };
  expect(returning(places, pinned)).toContain("worker-3");
  expect(returning(places, pinned)).not.toContain("worker-1");
});

const outlookOf = (node: string, sizeGiB = 20): MoveOutlook => ({
  machine: machine(node, "hydra"),
  way: "live",
  disks: [{ storage: "local-lvm", sizeGiB }],
  ...{ blockers: [], against: {}, doubts: {} },
});

function leave(outlooks: MoveOutlook[], survey: Survey) {
  const { clusters, hosts } = fleet();
  const [hydra] = hosts;
  if (!hydra) throw new Error("no host");
  const { moves, stuck } = placeLeaving(outlooks, hydra, { clusters, hosts, survey });
  return {
    moves: moves.map(({ outlook, to }) => `${outlook.machine.node} to ${to.name}`),
    stuck: stuck.map(({ outlook, reasons }) => [
      outlook.machine.node,
      ...reasons.map(({ host, why }) => `${host} ${why}`),
    ]),
  };
}

test("placeLeaving() keeps control planes apart as far as hosts go, and spreads the rest", () => {
  const four = { ...atHome, "cp-3": "lyra" };
  expect(leave([outlookOf("worker-1"), outlookOf("cp-1")], surveyOf(four)).moves).toEqual([
    "cp-1 to orion",
    "worker-1 to orion",
  ]);
});

test("placeLeaving() counts what those before have taken, of memory and of space", () => {
  const survey = surveyOf(atHome, { lyra: 13, orion: 8 });
  expect(leave([outlookOf("worker-1"), outlookOf("cp-1")], survey)).toEqual({
    moves: ["cp-1 to lyra"],
    stuck: [
      [
        "worker-1",
        "lyra has 1 GiB of memory free, and it needs 4 GiB",
        "orion has 0 GiB of memory free, and it needs 4 GiB",
      ],
    ],
  });
  expect(leave([outlookOf("cp-1", 120)], surveyOf(atHome)).stuck).toEqual([
    [
      "cp-1",
      'lyra has 100 GiB free on "local-lvm", and its disks need 120 GiB',
      'orion has 100 GiB free on "local-lvm", and its disks need 120 GiB',
    ],
  ]);
});
