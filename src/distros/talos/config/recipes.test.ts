import { beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
import { machineConfig } from "./machine-config.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { linkWith } from "./documents/link-documents.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

const write = (contract: string, wishes: Partial<MachineIntent>): MachineConfigDocument[] =>
  machineConfig(
    {
      contract,
      role: "control-plane",
      ...wishes,
      cluster: { name: "a", endpoint: "https://a:6443", kubernetes: "1.33.4", ...wishes.cluster },
    },
    bundle,
  );
const ofKind = (documents: MachineConfigDocument[], ...kinds: string[]) =>
  documents
    .filter(({ kind }) => kinds.includes(String(kind)))
    .map(({ apiVersion: _version, ...rest }) => rest);

const bonded: Partial<MachineIntent> = {
  network: {
    links: [
      {
        bond: {
          name: "bond0",
          macs: ["02:00:00:00:00:0A", "02:00:00:00:00:0b"],
          mode: "802.3ad",
          miimonMs: 100,
        },
        mtu: 9000,
        vlans: [{ id: 5, addresses: ["10.5.0.2/24"], routes: [{ gateway: "10.5.0.1" }], vip: "10.5.0.9" }],
      },
      { mac: "02:00:00:00:00:0c", dhcp: { routeMetric: 2048 } },
    ],
    searchDomains: ["lan"],
    ntp: ["ntp.lan"],
  },
};

test("two NICs joined, a VLAN with a shared address and a NIC with DHCP, as documents", () => {
  const documents = write("1.13", bonded);
  expect(
    ofKind(
      documents,
      "LinkAliasConfig",
      "BondConfig",
      "VLANConfig",
      "Layer2VIPConfig",
      "LinkConfig",
      "DHCPv4Config",
    ),
  ).toEqual([
    {
      kind: "LinkAliasConfig",
      name: "net0",
      selector: { match: linkWith("02:00:00:00:00:0a") },
    },
    {
      kind: "LinkAliasConfig",
      name: "net1",
      selector: { match: linkWith("02:00:00:00:00:0b") },
    },
    {
      kind: "BondConfig",
      name: "bond0",
      links: ["net0", "net1"],
      bondMode: "802.3ad",
      miimon: 100,
      up: true,
      mtu: 9000,
    },
    {
      kind: "VLANConfig",
      name: "bond0.5",
      vlanID: 5,
      parent: "bond0",
      up: true,
      addresses: [{ address: "10.5.0.2/24" }],
      routes: [{ gateway: "10.5.0.1" }],
    },
    { kind: "Layer2VIPConfig", name: "10.5.0.9", link: "bond0.5" },
    {
      kind: "LinkAliasConfig",
      name: "net2",
      selector: { match: linkWith("02:00:00:00:00:0c") },
    },
    { kind: "LinkConfig", name: "net2", up: true },
    { kind: "DHCPv4Config", name: "net2", routeMetric: 2048 },
  ]);
  expect(ofKind(documents, "TimeSyncConfig")).toEqual([
    { kind: "TimeSyncConfig", ntp: { servers: ["ntp.lan"] } },
  ]);
});

test("the same before 1.12, in the main document", () => {
  expect(write("1.11", bonded)[0]).toMatchObject({
    machine: {
      network: {
        interfaces: [
          {
            interface: "bond0",
            bond: {
              deviceSelectors: [
                { permanentAddr: "02:00:00:00:00:0a" },
                { permanentAddr: "02:00:00:00:00:0b" },
              ],
              mode: "802.3ad",
            },
            mtu: 9000,
            vlans: [
              { vlanId: 5, routes: [{ network: "0.0.0.0/0", gateway: "10.5.0.1" }], vip: { ip: "10.5.0.9" } },
            ],
          },
          {
            deviceSelector: { hardwareAddr: "02:00:00:00:00:0c" },
            dhcp: true,
            dhcpOptions: { routeMetric: 2048 },
          },
        ],
        searchDomains: ["lan"],
      },
      time: { servers: ["ntp.lan"] },
    },
  });
});

test("a machine without a name of its own takes the one DHCP offers", () => {
  const dhcp = { network: { links: [{ mac: "02:00:00:00:00:0c", dhcp: {} }] } };
  expect(ofKind(write("1.13", dhcp), "HostnameConfig")).toEqual([{ kind: "HostnameConfig", auto: "stable" }]);
  expect(write("1.11", dhcp)[0]).not.toHaveProperty("machine.network.hostname");
  expect(ofKind(write("1.14", { ...dhcp, hostname: "a" }), "HostnameConfig")).toEqual([
    { kind: "HostnameConfig", auto: "off", hostname: "a" },
  ]);
});

test("the disk to install to is chosen by what it is like", () => {
  const install = { disk: { size: ">= 100GB", model: "WDC*", type: "ssd" } as const, image: "i:v1" };
  expect(write("1.13", { install })[0]).toMatchObject({
    machine: { install: { diskSelector: { size: ">= 100GB", model: "WDC*", type: "ssd" }, image: "i:v1" } },
  });
  expect(ofKind(write("1.14", { install }), "UnattendedInstallConfig")).toMatchObject([
    {
      installer: { image: "i:v1" },
      provisioning: {
        diskSelector: { match: 'disk.size >= 100u * GB && glob("WDC*", disk.model) && !disk.rotational' },
      },
    },
  ]);
  expect(() => write("1.14", { install: { disk: { size: "big" } } })).toThrowError(
    /Cannot select a disk by the size/,
  );
});

test("kubelet, kernel, registries, encryption and manifests stand where each contract wants them", () => {
  const wishes: Partial<MachineIntent> = {
    kubelet: { extraArgs: { v: "2" }, config: { maxPods: 200 }, mounts: ["/var/mnt/data"] },
    sysctls: { "vm.swappiness": "0" },
    kernelModules: [{ name: "nbd" }],
    annotations: { a: "b" },
    registries: { "ghcr.io": { endpoints: ["https://m.lan"], auth: { username: "u", password: "p" } } },
    encryption: { state: { keys: [{ nodeId: true }] }, ephemeral: { keys: [{ tpm: true }] } },
    isWorkloadIsolated: false,
    cluster: {
      name: "a",
      endpoint: "https://a:6443",
      kubernetes: "1.33.4",
      cni: "none",
      isKubeProxyOff: true,
      isSchedulingOnControlPlanes: true,
      externalCloudProvider: { manifests: ["https://ccm.lan"] },
      inlineManifests: [{ name: "ns", contents: "kind: Namespace" }],
      extraManifests: ["https://m.lan/x.yaml"],
    },
  };
  expect(write("1.10", wishes)).toMatchObject([
    {
      machine: {
        kubelet: {
          extraArgs: { v: "2" },
          extraConfig: { maxPods: 200 },
          extraMounts: [{ source: "/var/mnt/data" }],
        },
        kernel: { modules: [{ name: "nbd" }] },
        registries: { mirrors: { "ghcr.io": { endpoints: ["https://m.lan"] } } },
        systemDiskEncryption: {
          state: { keys: [{ slot: 0, nodeID: {} }] },
          ephemeral: { keys: [{ tpm: {} }] },
        },
      },
      cluster: {
        network: { cni: { name: "none" } },
        proxy: { disabled: true },
        externalCloudProvider: { enabled: true, manifests: ["https://ccm.lan"] },
        inlineManifests: [{ name: "ns" }],
      },
    },
  ]);
  const documents = write("1.14", wishes);
  expect(ofKind(documents, "KubeFlannelCNIConfig", "KubeProxyConfig")).toEqual([]);
  expect(documents[0]).toHaveProperty("cluster.externalCloudProvider.enabled", true);
  expect(
    ofKind(
      documents,
      "SecurityProfileConfig",
      "KernelModuleConfig",
      "SysctlConfig",
      "KubeInlineManifestConfig",
    ),
  ).toEqual([
    { kind: "SysctlConfig", params: { "vm.swappiness": "0" } },
    { kind: "KernelModuleConfig", name: "nbd" },
    { kind: "SecurityProfileConfig", workloadIsolation: false },
    { kind: "KubeInlineManifestConfig", name: "ns", manifest: "kind: Namespace" },
  ]);
  expect(ofKind(documents, "VolumeConfig")).toMatchObject([
    { name: "EPHEMERAL", encryption: { keys: [{ slot: 0, tpm: {} }] }, mount: { secure: true } },
    { name: "STATE", encryption: { keys: [{ slot: 0, nodeID: {} }] } },
  ]);
  expect(ofKind(documents, "KubeNodeConfig")[0]).not.toHaveProperty("taints");
  expect(() => write("1.14", { kubelet: { mounts: ["/opt/data"] } })).toThrowError(
    /Cannot let the kubelet see "\/opt\/data"/,
  );
});

test("1.15 writes what 1.14 writes", () => {
  expect(encodeMachineConfig(write("1.15", bonded))).toBe(encodeMachineConfig(write("1.14", bonded)));
});
