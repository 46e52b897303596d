import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import type { Addon, Cluster } from "../../../spec/index.ts";
import { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
import { intentFor } from "../intent/intent-for.ts";
import { machineConfig } from "./machine-config.ts";
import { readPatchFiles } from "../intent/patch-files.ts";
import { labCluster } from "./testdata/lab-cluster.ts";
import { linkWith } from "./documents/link-documents.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

const configOf = (cluster: Cluster, name: string): MachineConfigDocument[] => {
  const node = cluster.nodes.find((candidate) => candidate.name === name);
  if (!node) throw new Error(`no node ${name}`);
  return machineConfig(intentFor(cluster, node), bundle);
};
const ofKind = (documents: MachineConfigDocument[], kind: string) =>
  documents.filter((document) => document["kind"] === kind);

test("a control plane gets its name, its address by MAC, and the shared address", () => {
  const documents = configOf(labCluster(), "cp-2");
  expect(documents.slice(1).map(({ apiVersion: _version, ...rest }) => rest)).toEqual([
    { kind: "HostnameConfig", auto: "off", hostname: "cp-2" },
    {
      kind: "LinkAliasConfig",
      name: "net0",
      selector: { match: linkWith("02:5a:00:00:00:66") },
    },
    {
      kind: "LinkConfig",
      name: "net0",
      up: true,
      addresses: [{ address: "192.168.1.102/24" }],
      routes: [{ gateway: "192.168.1.1" }],
    },
    { kind: "Layer2VIPConfig", name: "192.168.1.100", link: "net0" },
    { kind: "ResolverConfig", nameservers: [{ address: "192.168.1.1" }, { address: "1.1.1.1" }] },
  ]);
});

test("a link is found by its permanent address, or by its current one where a container has no other", () => {
  expect(linkWith("02:5a:00:00:00:66")).toBe(
    'mac(link.permanent_addr) == "02:5a:00:00:00:66" || (size(link.permanent_addr) == 0 && link.kind in ["", "veth", "macvlan"] && mac(link.hardware_addr) == "02:5a:00:00:00:66")',
  );
});

test("a control plane answers under the shared address and its own, and never takes the one for the other", () => {
  const [main] = configOf(labCluster(), "cp-1");
  const sans = ["192.168.1.100", "192.168.1.101"];
  const subnets = ["192.168.1.0/24", "!192.168.1.100/32"];
  expect(main).toMatchObject({
    machine: {
      type: "controlplane",
      certSANs: sans,
      kubelet: { nodeIP: { validSubnets: subnets } },
      install: {
        disk: "/dev/sda",
        image: expect.stringMatching(/^factory\.talos\.dev\/nocloud-installer\/3765/),
      },
    },
    cluster: { apiServer: { certSANs: sans }, etcd: { advertisedSubnets: subnets } },
  });
});

test("a worker holds no keys, no shared address and nothing of etcd", () => {
  const documents = configOf(labCluster(), "worker-1");
  const text = encodeMachineConfig(documents);
  for (const secret of [bundle.os.key, bundle.kubernetes.key, bundle.etcd.key, bundle.serviceAccount.key])
    expect(text).not.toContain(Buffer.from(secret).toString("base64"));
  expect(ofKind(documents, "Layer2VIPConfig")).toEqual([]);
  expect(documents[0]).toMatchObject({
    machine: {
      type: "worker",
      ca: { key: "" },
      certSANs: [],
      nodeLabels: { rack: "a", zone: "b" },
      nodeTaints: { dedicated: "gpu:NoSchedule" },
    },
  });
  expect(documents[0]?.["cluster"]).not.toHaveProperty("etcd");
});

test("disks for Longhorn become volumes, each on the disk of its size; other disks stay raw", () => {
  const volumes = ofKind(configOf(labCluster(), "worker-1"), "UserVolumeConfig");
  expect(volumes).toMatchObject([
    {
      name: "longhorn",
      provisioning: {
        diskSelector: { match: "!system_disk && disk.size >= 50u * GiB && disk.size < 51u * GiB" },
        grow: true,
        minSize: "51136MiB",
      },
    },
    { name: "longhorn-2", provisioning: { minSize: "61376MiB" } },
  ]);
});

test("before 1.12 the same wishes stand in the main document", () => {
  const cluster = labCluster({}, "1.9.6");
  expect(configOf(cluster, "cp-1")).toHaveLength(1);
  expect(configOf(cluster, "cp-1")[0]).toMatchObject({
    machine: {
      network: {
        hostname: "cp-1",
        interfaces: [
          {
            deviceSelector: { hardwareAddr: "02:5a:00:00:00:65" },
            addresses: ["192.168.1.101/24"],
            routes: [{ network: "0.0.0.0/0", gateway: "192.168.1.1" }],
            dhcp: false,
            vip: { ip: "192.168.1.100" },
          },
        ],
        nameservers: ["192.168.1.1", "1.1.1.1"],
      },
    },
  });
  expect(configOf(cluster, "worker-1")[0]).toMatchObject({
    machine: {
      disks: [
        { device: "/dev/sdc", partitions: [{ mountpoint: "/var/mnt/longhorn" }] },
        { device: "/dev/sdd", partitions: [{ mountpoint: "/var/mnt/longhorn-2" }] },
      ],
      kubelet: {
        extraMounts: [{ destination: "/var/mnt/longhorn" }, { destination: "/var/mnt/longhorn-2" }],
      },
    },
  });
});

const cilium: Addon = {
  name: "cilium",
  id: "cilium",
  options: {},
  facts: { connectsPods: true, replacesKubeProxy: true },
  owner: "slipway",
  values: {},
  valuesFiles: [],
  secretValues: {},
  at: { file: "cluster.yaml", line: 1, column: 1 },
};

test("Cilium takes the place of flannel and kube-proxy", () => {
  const cluster = labCluster({ addons: [cilium] });
  expect(configOf(cluster, "cp-1")[0]).toMatchObject({
    cluster: { network: { cni: { name: "none" } }, proxy: { disabled: true } },
  });
  expect(configOf(labCluster(), "cp-1")[0]).not.toHaveProperty("cluster.network.cni");
});

test("control planes run workloads only when there is no worker", () => {
  const alone = labCluster({ nodes: labCluster().nodes.slice(0, 3) });
  expect(configOf(alone, "cp-1")[0]).toHaveProperty("cluster.allowSchedulingOnControlPlanes", true);
  expect(configOf(labCluster(), "cp-1")[0]).not.toHaveProperty("cluster.allowSchedulingOnControlPlanes");
});

test("the same wish gives the same bytes", () => {
  const write = () => encodeMachineConfig(configOf(labCluster(), "cp-1"));
  expect(write()).toBe(write());
});

test("patches of the cluster come before those of the node, files are found beside the cluster file", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-patches-"));
  try {
    const at = { file: "cluster.yaml", line: 7, column: 5 };
    const cluster = labCluster({ patches: [{ file: "all.yaml", at }] });
    const [first] = cluster.nodes;
    if (!first) throw new Error("no nodes");
    first.patches = [{ inline: { machine: { sysctls: { a: "node", c: "node" } } }, at }];
    await expect(readPatchFiles(cluster, folder)).rejects.toMatchObject({
      code: "TALOS_PATCH_FILE_MISSING",
      at: { line: 7 },
    });
    await writeFile(path.join(folder, "all.yaml"), "machine: { sysctls: { a: all, b: all } }");
    const [main] = machineConfig(intentFor(cluster, first, await readPatchFiles(cluster, folder)), bundle);
    expect(main).toHaveProperty("machine.sysctls", { a: "node", b: "all", c: "node" });
    await writeFile(path.join(folder, "all.yaml"), "machine: [");
    const broken = await readPatchFiles(cluster, folder);
    expect(() => intentFor(cluster, first, broken)).toThrowError(
      /Cannot read the patch "all.yaml": line 1 is not YAML/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a patch cannot bring a document the nodes do not know", () => {
  const at = { file: "cluster.yaml", line: 1, column: 1 };
  const inline = { apiVersion: "v1alpha1", kind: "KubeSpanConfig", enabled: true };
  const bring = (talos: string) => () => configOf(labCluster({ patches: [{ inline, at }] }, talos), "cp-1");
  expect(bring("1.12.11")).toThrowError(/Talos knows it from 1\.13 on, and the nodes run 1\.12/);
  expect(bring("1.13.9")).not.toThrow();
  inline.kind = "KubespanConfig";
  expect(bring("1.14.1")).toThrowError(/Talos 1\.14 knows no such document/);
});

test("a new cluster has the contract of its Talos, an older one keeps its own", () => {
  const cluster = labCluster({}, "1.14.1");
  const [node] = cluster.nodes;
  if (!node) throw new Error("no nodes");
  expect(intentFor(cluster, node)).toMatchObject({ contract: "1.14", talos: "1.14.1" });
  expect(intentFor(cluster, node, new Map(), "1.13")).toMatchObject({ contract: "1.13", talos: "1.14.1" });
});

test.each(["1.7", "1.16", "2.0", "v1.16.2", "main"])(
  "the unknown contract %s is refused with a reason",
  (contract) => {
    const cluster = { name: "a", endpoint: "https://a:6443", kubernetes: "1.31.0" };
    expect(() => machineConfig({ contract, role: "worker", cluster }, bundle)).toThrowError(
      /Slipway knows the configs of Talos 1\.8 to 1\.15/,
    );
  },
);
