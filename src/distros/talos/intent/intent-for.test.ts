import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { addons } from "../../../addons/index.ts";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { parseFleet, type Cluster } from "../../../spec/index.ts";
import { encodeMachineConfig, type MachineConfigDocument } from "../config/config-document.ts";
import { intentFor } from "./intent-for.ts";
import { secretsIn, withSecrets } from "../config/intent-secrets.ts";
import { machineConfig } from "../config/machine-config.ts";
import { linkWith } from "../config/documents/link-documents.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

function clusterOf(fields: string): Cluster {
  const text = `version: 1
hosts: { hydra: { proxmox: { url: "https://192.168.1.10:8006", token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } } } } }
clusters: { lab: { ${fields} } }
`;
  const parsed = parseFleet({ file: "slipway.yaml", text }, { addons });
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  const [cluster] = parsed.fleet.clusters;
  if (!cluster) throw new Error("no cluster");
  return cluster;
}

function configOf(cluster: Cluster, name: string): MachineConfigDocument[] {
  const node = cluster.nodes.find((each) => each.name === name);
  if (!node) throw new Error(`no node ${name}`);
  const intent = intentFor(cluster, node);
  return machineConfig(
    withSecrets(intent, new Map(secretsIn(intent).map(({ key }) => [key, "s3cret"]))),
    bundle,
  );
}

const ofKind = (documents: MachineConfigDocument[], kind: string) =>
  documents.filter((document) => document["kind"] === kind);

const later = ["1.12.6", "1.13.9", "1.14.1"];

describe("a node whose address is reserved at a DHCP server", () => {
  const cluster = (version: string) =>
    clusterOf(
      `talos: { version: ${version} }, network: { cidr: 192.168.1.0/24, dhcp: true }, workers: { count: 1 }`,
    );

  test.each(later)("takes the name offered there: no static one beside it on Talos %s", (version) => {
    const documents = configOf(cluster(version), "worker-1");
    expect(ofKind(documents, "HostnameConfig")).toEqual([
      { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "stable" },
    ]);
    expect(encodeMachineConfig(documents)).not.toMatch(/hostname: worker-1|stableHostname/);
    expect(ofKind(documents, "DHCPv4Config")).toMatchObject([{ name: "net0" }]);
    expect(ofKind(documents, "LinkConfig")[0]).not.toHaveProperty("addresses");
    expect(ofKind(documents, "ResolverConfig")[0] ?? {}).not.toHaveProperty("nameservers");
  });

  test("so it does before 1.12", () => {
    expect(configOf(cluster("1.11.6"), "cp-1")[0]).toMatchObject({
      machine: { network: { interfaces: [{ dhcp: true }] }, features: { stableHostname: true } },
    });
    expect(encodeMachineConfig(configOf(cluster("1.11.6"), "cp-1"))).not.toContain("hostname: cp-1");
  });

  test("may be the only one of its pool that is not", () => {
    const mixed = clusterOf(
      "network: { cidr: 192.168.1.0/24, dhcp: true }, workers: { count: 2, nodes: { worker-2: { dhcp: false } } }",
    );
    expect(ofKind(configOf(mixed, "worker-2"), "HostnameConfig")).toMatchObject([
      { auto: "off", hostname: "worker-2" },
    ]);
    expect(ofKind(configOf(mixed, "worker-2"), "DHCPv4Config")).toEqual([]);
  });
});

test.each(later)(
  "only control planes hold the VIP on Talos %s, and each one answers to it, to its own address and to what the file adds",
  (version) => {
    const cluster = clusterOf(
      `talos: { version: ${version}, certSANs: [k8s.example.org] }, network: { cidr: 192.168.1.0/24, vip: .100 }, controlPlanes: { count: 3 }, workers: { count: 2 }`,
    );
    for (const [index, name] of ["cp-1", "cp-2", "cp-3"].entries()) {
      const names = ["192.168.1.100", `192.168.1.10${index + 1}`, "k8s.example.org"];
      const documents = configOf(cluster, name);
      expect(ofKind(documents, "Layer2VIPConfig")).toMatchObject([{ name: "192.168.1.100", link: "net0" }]);
      expect(documents[0]).toMatchObject({ machine: { certSANs: names } });
      const kubernetes = ofKind(documents, "KubeAPIServerConfig")[0]?.["certExtraSANs"];
      const legacy = (documents[0] as { cluster?: { apiServer?: { certSANs?: string[] } } }).cluster
        ?.apiServer?.certSANs;
      expect(kubernetes ?? legacy).toEqual(names);
    }
    for (const name of ["worker-1", "worker-2"])
      expect(encodeMachineConfig(configOf(cluster, name))).not.toMatch(
        /Layer2VIPConfig|name: 192\.168\.1\.100/,
      );
  },
);

test("further cards: by MAC, less preferred than the first, and they never name the node", () => {
  const cluster = clusterOf(
    `network: { cidr: 192.168.1.0/24, mtu: 9000, routes: [{ to: 10.0.0.0/8, via: .2 }] },
     workers: { count: 2, nics: [{ bridge: vmbr1, dhcp: true }, { bridge: vmbr2, bond: { bridges: [vmbr3] }, vlans: [{ id: 40, address: 10.40.0.11/24 }] }] }`,
  );
  const documents = configOf(cluster, "worker-2");
  const [first, second] = cluster.nodes[2]?.nics ?? [];
  expect(ofKind(documents, "LinkConfig")).toMatchObject([
    {
      name: "net0",
      mtu: 9000,
      routes: [{ gateway: "192.168.1.1" }, { destination: "10.0.0.0/8", gateway: "192.168.1.2" }],
    },
    { name: "net1" },
  ]);
  expect(ofKind(documents, "LinkAliasConfig").map(({ selector }) => selector)).toEqual(
    [cluster.nodes[2]?.mac, first?.mac, second?.mac, second?.bond?.with[0]?.mac].map((mac) => ({
      match: linkWith(mac ?? ""),
    })),
  );
  expect(ofKind(documents, "DHCPv4Config")).toMatchObject([
    { name: "net1", routeMetric: 2048, ignoreHostname: true },
  ]);
  expect(ofKind(documents, "BondConfig")).toMatchObject([
    { name: "bond0", links: ["net2", "net3"], bondMode: "active-backup" },
  ]);
  expect(ofKind(documents, "VLANConfig")).toMatchObject([
    { name: "bond0.40", parent: "bond0", addresses: [{ address: "10.40.0.12/24" }] },
  ]);
});

test("secrets stay references until they are read, and a reference is never written", () => {
  const text = readFileSync(
    path.join(import.meta.dirname, "../../../spec/testdata/valid-talos-everything.yaml"),
    "utf8",
  );
  const parsed = parseFleet({ file: "slipway.yaml", text }, { addons });
  const cluster = "fleet" in parsed ? parsed.fleet.clusters[0] : undefined;
  const node = cluster?.nodes[0];
  if (!cluster || !node) throw new Error("no cluster");
  const intent = intentFor(cluster, node);
  expect(secretsIn(intent).map(({ what, ref }) => [what, ref])).toEqual([
    ["the password of registry registry.example.org:5000", { env: "REGISTRY_PASSWORD" }],
    ["the token of registry ghcr.io", { file: "./ghcr.token" }],
    ["the passphrase of the ephemeral partition", { command: ["pass", "show", "disk"] }],
  ]);
  expect(() => machineConfig(intent, bundle)).toThrowError(
    expect.objectContaining({ code: "TALOS_SECRET_NOT_READ" }),
  );
  const values = new Map(secretsIn(intent).map(({ key }, index) => [key, `value-${index}`]));
  const whole = withSecrets(intent, values);
  expect(secretsIn(whole)).toEqual([]);
  expect(JSON.stringify(intent)).not.toContain("value-");
  const documents = machineConfig(whole, bundle);
  expect(ofKind(documents, "RegistryAuthConfig")).toMatchObject([
    { name: "ghcr.io", identityToken: "value-1" },
    { name: "registry.example.org:5000", username: "robot", password: "value-0" },
  ]);
  expect(encodeMachineConfig(documents)).toContain("passphrase: value-2");
});

test("a pinned contract wins over the running cluster's, which wins over the version's", () => {
  const fields = "network: { cidr: 192.168.1.0/24 }";
  const pinned = clusterOf(`${fields}, talos: { version: 1.14.1, contract: v1.12 }`);
  const plain = clusterOf(`${fields}, talos: { version: 1.14.1 }`);
  const contract = (cluster: Cluster, running?: string) => {
    const [node] = cluster.nodes;
    return node && intentFor(cluster, node, new Map(), running).contract;
  };
  expect([contract(pinned, "1.13"), contract(plain, "1.13"), contract(plain)]).toEqual([
    "1.12",
    "1.13",
    "1.14",
  ]);
});

test("Kubernetes is told who connects pods, leads to services and brings manifests", () => {
  const cluster = clusterOf(
    `network: { cidr: 192.168.1.0/24, cni: none, kubeProxy: false }, workers: { count: 1 }, scheduleOnControlPlanes: true,
     externalCloudProvider: {}, extraManifests: [https://example.org/a.yaml], inlineManifests: { storage: "kind: Namespace" }`,
  );
  expect(configOf(cluster, "cp-1")[0]).toMatchObject({
    cluster: {
      network: { cni: { name: "none" } },
      proxy: { disabled: true },
      externalCloudProvider: { enabled: true },
      extraManifests: ["https://example.org/a.yaml"],
      inlineManifests: [{ name: "storage", contents: "kind: Namespace" }],
      allowSchedulingOnControlPlanes: true,
    },
  });
});

test("workload isolation is what the file says, and Talos's own choice otherwise", () => {
  const isolation = (talos: string) =>
    ofKind(
      configOf(clusterOf(`network: { cidr: 192.168.1.0/24 }, talos: ${talos}`), "cp-1"),
      "SecurityProfileConfig",
    );
  expect(isolation("{ version: 1.14.1, workloadIsolation: false }")).toMatchObject([
    { workloadIsolation: false },
  ]);
  expect(isolation("{ version: 1.14.1 }")).toMatchObject([{ workloadIsolation: true }]);
  expect(isolation("{ version: 1.14.1, contract: v1.13 }")).toEqual([]);
});

test("on libvirt the disk a node starts from has another name", () => {
  const text = `version: 1
hosts: { desk: { libvirt: {} } }
clusters: { lab: { network: { cidr: 192.168.1.0/24, bridge: br0 }, controlPlanes: { count: 1 } } }
`;
  const parsed = parseFleet({ file: "slipway.yaml", text }, { addons });
  const [cluster] = "fleet" in parsed ? parsed.fleet.clusters : [];
  const [node] = cluster?.nodes ?? [];
  if (!cluster || !node) throw new Error("no node");
  expect(intentFor(cluster, node).install?.disk).toBe("/dev/vda");
});
