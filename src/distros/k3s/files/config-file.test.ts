import { expect, test } from "vitest";
import { parse } from "yaml";
import { addons } from "../../../addons/index.ts";
import { isK3s, parseFleet, type K3sCluster } from "../../../spec/index.ts";
import { configFile } from "../index.ts";

const secrets = {
  token: `K10${"a".repeat(64)}::server:${"1".repeat(64)}`,
  agentToken: `K10${"a".repeat(64)}::node:${"2".repeat(64)}`,
};

function clusterOf(...parts: string[]): K3sCluster {
  const text = `
hosts: { pve1: { proxmox: { url: "https://10.0.0.2:8006", token: { id: slipway@pve!main, secret: { env: T } }, tls: { insecure: true } } } }
clusters:
  lab:
    from: { existing: { vmid: 400 } }
    network: { cidr: 10.0.0.0/24, gateway: .1, dns: [.1], vip: .9 }
    controlPlanes: { count: 3, address: .10 }
    workers: { count: 2, address: .20, labels: { tier: "yes", topology.kubernetes.io/zone: pve1, node-role.kubernetes.io/worker: "" }, taints: { gpu: "true:NoSchedule", spot: NoExecute } }
${parts.map((part) => `    ${part}\n`).join("")}`;
  const parsed = parseFleet({ file: "lab.yaml", text: `version: 1${text}` }, { addons });
  if (!("fleet" in parsed)) throw new Error(JSON.stringify(parsed.problems));
  const [cluster] = parsed.fleet.clusters;
  if (!cluster || !isK3s(cluster)) throw new Error("no K3s");
  return cluster;
}

/** As K3s reads it: by the rules of YAML 1.1. */
function readConfig(cluster: K3sCluster, node: string): Record<string, unknown> {
  const found = cluster.nodes.find(({ name }) => name === node);
  if (!found) throw new Error(`no ${node}`);
  return parse(configFile(cluster, found, secrets), { version: "1.1" }) as Record<string, unknown>;
}

test("configFile() tells servers the same but for what is their own", () => {
  const cluster = clusterOf("k3s: { user: ubuntu }");
  const [first, second] = [readConfig(cluster, "cp-1"), readConfig(cluster, "cp-2")];
  expect(first).toEqual({
    token: secrets.token,
    "agent-token": "2".repeat(64),
    "tls-san": ["10.0.0.9"],
    "cluster-cidr": "10.244.0.0/16",
    "service-cidr": "10.96.0.0/12",
    "cluster-dns": "10.96.0.10",
    "cluster-domain": "cluster.local",
    "flannel-backend": "vxlan",
    "secrets-encryption": true,
    "node-name": "cp-1",
    "node-ip": "10.0.0.10",
  });
  expect(second).toEqual({ ...first, "node-name": "cp-2", "node-ip": "10.0.0.11" });
});

test("configFile() tells agents nothing that only servers know, for they would not start", () => {
  const config = readConfig(clusterOf("k3s: { user: ubuntu, disable: [traefik] }"), "worker-1");
  expect(config).toEqual({
    token: secrets.agentToken,
    "node-name": "worker-1",
    "node-ip": "10.0.0.20",
    // The role is none of the labels a kubelet may give itself.
    "node-label": expect.arrayContaining(["tier=yes", "topology.kubernetes.io/zone=pve1"]) as unknown,
    "node-taint": ["gpu=true:NoSchedule", "spot:NoExecute"],
  });
  expect(config["node-label"]).toHaveLength(2);
});

test("configFile() makes room for Cilium", () => {
  const cluster = clusterOf(
    "k3s: { user: ubuntu, disable: [traefik] }",
    "addons: [{ cilium: { loadBalancer: { pools: [.200-.220] } } }]",
  );
  expect(readConfig(cluster, "cp-1")).toMatchObject({
    "flannel-backend": "none",
    "disable-network-policy": true,
    "disable-kube-proxy": true,
    disable: ["servicelb", "traefik"],
  });
});

test("configFile() makes room for another cloud controller", () => {
  const cluster = clusterOf("k3s: { user: ubuntu }", "addons: [proxmox-ccm]");
  expect(readConfig(cluster, "cp-1")).toMatchObject({
    "disable-cloud-controller": true,
    "kubelet-arg": ["cloud-provider=external"],
  });
  const agent = readConfig(cluster, "worker-1");
  expect(agent["kubelet-arg"]).toEqual(["cloud-provider=external"]);
  expect(agent).not.toHaveProperty("disable-cloud-controller");
});

test("configFile() keeps servers free of pods where the file says so and workers are there", () => {
  const cluster = clusterOf("k3s: { user: ubuntu }", "scheduleOnControlPlanes: false");
  const taint = ["node-role.kubernetes.io/control-plane:NoSchedule"];
  expect(readConfig(cluster, "cp-1")["node-taint"]).toEqual(taint);
  const alone = { ...cluster, nodes: cluster.nodes.filter(({ role }) => role === "control-plane") };
  expect(readConfig(alone, "cp-1")).not.toHaveProperty("node-taint");
  expect(readConfig(clusterOf("k3s: { user: ubuntu }"), "cp-1")).not.toHaveProperty("node-taint");
});

test("configFile() names the card where there are several, and the way around registries where it is barred", () => {
  const cluster = clusterOf(
    'k3s: { user: ubuntu, registries: { docker.io: { mirrors: ["https://mirror.lan"], skipFallback: true } } }',
  );
  const nics = [{ mac: "bc:24:11:00:00:01", bridge: "vmbr1" }];
  const wide = { ...cluster, nodes: cluster.nodes.map((node) => ({ ...node, nics })) };
  expect(readConfig(wide, "worker-1")).toMatchObject({
    "flannel-iface": "eth0",
    "disable-default-registry-endpoint": true,
  });
  expect(readConfig(cluster, "worker-1")).not.toHaveProperty("flannel-iface");
});

test("configFile() leaves an address that is not known yet to K3s", () => {
  const cluster = clusterOf("k3s: { user: ubuntu }");
  const later = {
    ...cluster,
    nodes: cluster.nodes.map((node) => ({ ...node, address: `${node.name}.lab.dhcp` })),
  };
  expect(readConfig(later, "worker-1")).not.toHaveProperty("node-ip");
});

test("configFile() lets flags of the user's own win, and adds their lists to ours", () => {
  const cluster = clusterOf(
    'k3s: { user: ubuntu, snapshots: { schedule: "0 */6 * * *", keep: 9 }, embeddedRegistry: true, encryption: false, certSANs: [k8s.lan], serverFlags: { write-kubeconfig-mode: "0644", tls-san: [api.lan, 10.0.0.9], cluster-domain: other.local }, agentFlags: { kubelet-arg: ["max-pods=200"], prefer-bundled-bin: true } }',
  );
  const server = readConfig(cluster, "cp-1");
  expect(server).toMatchObject({
    "write-kubeconfig-mode": "0644",
    "cluster-domain": "other.local",
    "kubelet-arg": ["max-pods=200"],
    "etcd-snapshot-schedule-cron": "0 */6 * * *",
    "etcd-snapshot-retention": 9,
    "embedded-registry": true,
  });
  expect((server["tls-san"] as string[]).slice(-2)).toEqual(["k8s.lan", "api.lan"]);
  expect(server).not.toHaveProperty("secrets-encryption");
  const agent = readConfig(cluster, "worker-1");
  expect(agent).toMatchObject({ "kubelet-arg": ["max-pods=200"], "prefer-bundled-bin": true });
  expect(agent).not.toHaveProperty("write-kubeconfig-mode");
});
