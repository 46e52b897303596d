import type { Cluster, Node, Role } from "../../../../spec/index.ts";

const at = { file: "cluster.yaml", line: 1, column: 1 };

export const labNode = (name: string, role: Role, number: number): Node => ({
  name,
  role,
  pool: role === "worker" ? "workers" : "control-planes",
  index: number,
  cores: 2,
  memoryMiB: 4096,
  diskGiB: 20,
  dataDisks: [],
  address: `192.168.1.${number}`,
  mac: `02:5A:00:00:00:${number.toString(16).padStart(2, "0")}`,
  patches: [],
  labels: {},
  taints: {},
  at,
});

/** Three control planes with a shared address and two workers, one of them with disks. */
export function labCluster(changes: Partial<Cluster> = {}, talos = "1.13.9"): Cluster {
  const worker = labNode("worker-1", "worker", 111);
  return {
    name: "lab",
    on: ["hydra"],
    placement: "spread",
  bootSource: { kind: "image" },
    distribution: {
      kind: "talos",
      version: talos,
      extensions: [],
      kernelArgs: [],
      architecture: "amd64",
      factory: "https://factory.talos.dev",
      firstContact: "console",
    },
    kubernetes: "1.31.4",
    network: {
      cidr: "192.168.1.0/24",
      prefix: 24,
      gateway: "192.168.1.1",
      dns: ["192.168.1.1", "1.1.1.1"],
      bridge: "vmbr0",
      vip: "192.168.1.100",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
      dnsDomain: "cluster.local",
    },
    endpoint: "https://192.168.1.100:6443",
    nodes: [
      labNode("cp-1", "control-plane", 101),
      labNode("cp-2", "control-plane", 102),
      labNode("cp-3", "control-plane", 103),
      {
        ...worker,
        dataDisks: [
          { sizeGiB: 30 },
          { sizeGiB: 50, for: "longhorn" },
          { sizeGiB: 60, for: "longhorn" },
        ],
        labels: { zone: "b", rack: "a" },
        taints: { dedicated: "gpu:NoSchedule" },
      },
      labNode("worker-2", "worker", 112),
    ],
    patches: [],
    addons: [],
    protect: false,
    tags: [],
    at,
    ...changes,
  };
}
