import { nameOfStep, type Face, type PlannedStep } from "../../../src/plan/index.ts";

const hosts = ["hydra", "lyra", "orion"];

/** The 28 steps of a first `up` of the sample cluster: 3 + 3 nodes on three Proxmox hosts. */
export function homelabSteps(): PlannedStep[] {
  const nodes = ["control-plane", "worker"].flatMap((role) =>
    hosts.map((host, index) => ({ role, host, index })),
  );
  return [
    step("cluster", "secrets", { kind: "talos/secrets", title: "Create secrets", usualMs: 400 }),
    step("cluster", "access", {
      kind: "talos/access",
      title: "Create kubeconfig and talosconfig",
      after: ["homelab/cluster/secrets"],
      usualMs: 100,
    }),
    ...hosts.map((host) =>
      step("image", host, {
        kind: "proxmox/image",
        title: `Create image on ${host}`,
        group: "images",
        host,
        usualMs: 45_000,
        facts: { image: "Talos 1.13.9", schematic: "376567988ad370138ad8b2698212367b8edcb69b", sizeGiB: 1.3 },
      }),
    ),
    ...nodes.flatMap(({ role, host, index }) => nodeSteps(role, host, index)),
    step("cluster", "etcd", {
      kind: "talos/etcd",
      title: "Create etcd",
      after: ["homelab/config/cp-1"],
      usualMs: 17_000,
    }),
    step("cluster", "api", {
      kind: "talos/api",
      title: "Create Kubernetes API",
      after: ["homelab/cluster/etcd", "homelab/cluster/access"],
      usualMs: 34_000,
      facts: { kubernetes: "1.36.3", endpoint: "https://192.168.1.100:6443", vip: "192.168.1.100" },
    }),
    step("cluster", "nodes", {
      kind: "talos/nodes",
      title: "Create nodes Ready",
      after: ["homelab/cluster/api", ...nodes.map((node) => `homelab/config/${nameOf(node)}`)],
      usualMs: 10_000,
    }),
    ...[
      ["cilium", "1.19.2", 39_000],
      ["nfs-csi", "4.13.0", 15_000],
    ].map(([name, version, usualMs]) =>
      step("addon", String(name), {
        kind: `addon/${name}`,
        title: `Create add-on ${name}`,
        group: "addons",
        after: ["homelab/cluster/api", ...(name === "nfs-csi" ? ["homelab/addon/cilium"] : [])],
        usualMs: Number(usualMs),
        facts: { version: String(version) },
      }),
    ),
  ];
}

const nameOf = ({ role, index }: { role: string; index: number }): string =>
  `${role === "control-plane" ? "cp" : "worker"}-${index + 1}`;

function nodeSteps(role: string, host: string, index: number): PlannedStep[] {
  const isControlPlane = role === "control-plane";
  const node = nameOf({ role, index });
  const shared = { group: "nodes" as const, host, node, role };
  return [
    step("seed", node, { ...shared, kind: "proxmox/seed", title: `Create seed ${node}`, usualMs: 1_500 }),
    step("machine", node, {
      ...shared,
      kind: "proxmox/machine",
      title: `Create machine ${node}`,
      after: [`homelab/image/${host}`, `homelab/seed/${node}`],
      usualMs: 12_000,
      facts: {
        cores: isControlPlane ? 2 : 4,
        memoryMiB: isControlPlane ? 4096 : 8192,
        diskGiB: 50,
        ...(!isControlPlane && { dataGiB: "50" }),
        address: `192.168.1.${(isControlPlane ? 101 : 111) + index}`,
        vmid: (isControlPlane ? 2000 : 3000) + index,
        bridge: "vmbr0",
        vlan: 14,
      },
    }),
    step("config", node, {
      ...shared,
      kind: "talos/config",
      title: `Create config of ${node}`,
      after: [`homelab/machine/${node}`, "homelab/cluster/secrets"],
      usualMs: 14_000,
    }),
  ];
}

/** What the kinds of these steps say of themselves. */
const faces: Record<string, (step: Partial<PlannedStep>, name: string) => Partial<Face>> = {
  "talos/secrets": () => ({ uncounted: "secrets", section: "secrets" }),
  "talos/access": () => ({ label: "access files", uncounted: "access files", section: "secrets" }),
  "talos/api": () => ({ label: "API", inText: "the API" }),
  "talos/nodes": () => ({ label: "Nodes Ready" }),
  "proxmox/seed": () => ({ section: "seeds" }),
  "proxmox/image": ({ host = "" }) => ({ label: host, lane: `Image ${host}`, asNew: `image on ${host}` }),
  "proxmox/template": (_step, name) => ({ lane: `Template ${name}`, asNew: `template ${name}` }),
  "addon/cilium": () => ({ lane: "Cilium" }),
  "addon/nfs-csi": () => ({ lane: "NFS CSI" }),
  "k3s/node": () => ({ restarts: "K3s" }),
  keptDisksMachine: () => ({ plural: "shelves" }),
};

/** A step of the sample cluster; what is not given is as in most of them. */
export function step(sort: string, name: string, more: Partial<PlannedStep> = {}): PlannedStep {
  const { kind = sort, node } = more;
  return {
    id: `homelab/${sort}/${name}`,
    title: `Create ${sort} ${name}`,
    kind,
    face: { noun: nameOfStep(kind), label: node ?? name, ...faces[kind]?.(more, name) },
    action: "create",
    consequence: "create",
    group: "cluster",
    after: [],
    cluster: "homelab",
    ...more,
  };
}
