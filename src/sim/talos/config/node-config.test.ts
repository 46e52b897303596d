import { expect, test } from "vitest";
import { readNodeConfig } from "./node-config.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const controlPlane = `version: v1alpha1
persist: true
machine:
  type: controlplane
  ca: { crt: ${base64("os-cert")}, key: ${base64("os-key")} }
  certSANs: [talos.example.org]
  kubelet: { image: "ghcr.io/siderolabs/kubelet:v1.36.3@sha256:0123" }
  nodeLabels: { zone: a }
cluster:
  id: some-id
  clusterName: lab
  controlPlane: { endpoint: "https://10.0.0.100:6443" }
  ca: { crt: ${base64("kube-cert")}, key: ${base64("kube-key")} }
  network: { cni: { name: none } }
  proxy: { disabled: true }
`;

const documents = `---
apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
hostname: cp-1
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: net0
selector: { match: 'mac(link.permanent_addr) == "02:00:0a:00:00:05"' }
---
apiVersion: v1alpha1
kind: LinkConfig
name: net0
addresses: [{ address: 10.0.0.5/24 }]
---
apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 10.0.0.100
link: net0
`;

test("readNodeConfig() reads names, addresses and Kubernetes settings from all documents", () => {
  expect(readNodeConfig(controlPlane + documents, 13)).toMatchObject({
    role: "controlplane",
    clusterId: "some-id",
    clusterName: "lab",
    osCa: { cert: "os-cert", key: "os-key" },
    kubeCa: { cert: "kube-cert", key: "kube-key" },
    certSans: ["talos.example.org"],
    hostname: "cp-1",
    addresses: [{ mac: "02:00:0a:00:00:05", cidr: "10.0.0.5/24" }],
    vip: "10.0.0.100",
    hasDiscovery: true,
    kubernetes: {
      kubeletVersion: "1.36.3",
      cni: "none",
      hasProxy: false,
      hasCoreDns: true,
      labels: { zone: "a" },
    },
  });
});

test("readNodeConfig() reads the network section of older contracts", () => {
  const network = `  network:
    hostname: cp-1
    interfaces:
      - deviceSelector: { hardwareAddr: "02:00:0a:00:00:05" }
        addresses: [10.0.0.5/24]
        vip: { ip: 10.0.0.100 }
`;
  const older = controlPlane.replace("v1.36.3", "v1.34.1");
  const config = readNodeConfig(older.replace("cluster:\n", `${network}cluster:\n`), 11);
  expect(config).toMatchObject({
    hostname: "cp-1",
    addresses: [{ mac: "02:00:0a:00:00:05", cidr: "10.0.0.5/24" }],
    vip: "10.0.0.100",
  });
});

test.each([
  [
    "a kind the version does not know",
    controlPlane + documents,
    11,
    '"HostnameConfig" "v1alpha1": not registered',
  ],
  ["a key nobody knows", `${controlPlane}extra: 1\n`, 13, "unknown keys found during decoding:\nextra: 1\n"],
  [
    "a misspelt section",
    controlPlane.replace("certSANs", "certSans"),
    13,
    "unknown keys found during decoding:\nmachine:\n    certSans:\n        - talos.example.org\n",
  ],
  [
    "a control plane without the key of its authority",
    controlPlane.replace(`, key: ${base64("os-key")}`, ""),
    13,
    "issuing CA key is required for controlplane nodes (.machine.ca.key)",
  ],
  [
    "a worker with keys",
    controlPlane.replace("controlplane", "worker"),
    13,
    "issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)",
  ],
  [
    "a missing endpoint",
    controlPlane.replace("https://10.0.0.100:6443", ""),
    13,
    "cluster controlplane endpoint is required",
  ],
  [
    "a misspelt key deep inside",
    controlPlane.replace("cni: { name: none }", "cni: { nam: none }"),
    13,
    "unknown keys found during decoding:\ncluster:\n    network:\n        cni:\n            nam: none\n",
  ],
  [
    "a key newer than the version",
    controlPlane
      .replace("machine:\n", "machine:\n  install: { grubUseUKICmdline: true }\n")
      .replace("36.3", "34.1"),
    11,
    "unknown keys found during decoding:\nmachine:\n    install:\n        grubUseUKICmdline: true\n",
  ],
  [
    "a misspelt key of a document",
    controlPlane + documents.replace("hostname: cp-1", "hostName: cp-1"),
    13,
    "error decoding document v1alpha1/HostnameConfig/ (line 17): unknown keys found during decoding:\nhostName: cp-1\n",
  ],
  [
    "a name said twice",
    `${controlPlane.replace("machine:\n", "machine:\n  network: { hostname: cp-1 }\n")}${documents}`,
    13,
    "static hostname is already set in v1alpha1 config",
  ],
  [
    "a name beside an automatic one",
    controlPlane + documents.replace('"off"', "stable"),
    13,
    "'auto' and 'hostname' cannot be set at the same time",
  ],
  [
    "a document for the name beside the old feature",
    `${controlPlane.replace("machine:\n", "machine:\n  features: { stableHostname: true }\n")}${documents}`,
    13,
    "stable hostname is already set",
  ],
  [
    "Kubernetes newer than the node",
    controlPlane + documents,
    12,
    "version of Kubernetes 1.36.3 is too new to be used with Talos 1.12",
  ],
  [
    "Kubernetes older than the node",
    controlPlane.replace("36.3", "30.1") + documents,
    13,
    "version of Kubernetes 1.30.1 is too old to be used with Talos 1.13",
  ],
  ["text that is not YAML", "machine: [", 13, "decode error: yaml: "],
  ["documents alone", documents.slice(4), 13, "doesn't contain v1alpha1 config"],
])("readNodeConfig() refuses %s", (_, text, minor, problem) => {
  expect(() => readNodeConfig(text, minor)).toThrow(problem);
});

test("readNodeConfig() reads the documents of contract 1.14", () => {
  const main = `version: v1alpha1
machine:
  type: controlplane
  ca: { crt: ${base64("os-cert")}, key: ${base64("os-key")} }
cluster: { token: x }
`;
  const document = (kind: string, fields: string) => `---\napiVersion: v1alpha1\nkind: ${kind}\n${fields}\n`;
  const text = [
    main,
    document("DiscoveryIdentityConfig", "clusterID: some-id"),
    document("KubeClusterConfig", "clusterName: lab\nendpoint: https://10.0.0.100:6443"),
    document("KubeAPIServerCAConfig", "issuingCA: { cert: kube-cert, key: kube-key }"),
    document("KubeletConfig", "image: ghcr.io/siderolabs/kubelet:v1.37.0"),
    document(
      "KubeNodeConfig",
      "labels: { zone: a }\ntaints: { node-role.kubernetes.io/control-plane: NoSchedule }",
    ),
    document("KubeFlannelCNIConfig", "backendType: vxlan"),
  ].join("");
  expect(readNodeConfig(text, 14)).toMatchObject({
    clusterId: "some-id",
    clusterName: "lab",
    kubeCa: { cert: "kube-cert", key: "kube-key" },
    hasDiscovery: false,
    kubernetes: {
      kubeletVersion: "1.37.0",
      cni: "flannel",
      hasProxy: false,
      schedulesOnControlPlanes: false,
      labels: { zone: "a" },
    },
  });
  expect(() => readNodeConfig(text, 13)).toThrow('"DiscoveryIdentityConfig" "v1alpha1": not registered');
});
