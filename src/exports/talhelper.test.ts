import { parse } from "yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { talconfig, type TalhelperCluster, type TalhelperNode } from "./talhelper.ts";

// talhelper's published schema of talconfig.yaml (v3), written down for the fields we write. Every level is strict there.
const route = z.strictObject({ network: z.string(), gateway: z.string(), metric: z.int().optional() });
const settings = {
  dhcp: z.boolean(),
  dhcpOptions: z.strictObject({ routeMetric: z.int() }).optional(),
  mtu: z.int().optional(),
  addresses: z.array(z.string()).optional(),
  routes: z.array(route).optional(),
  vip: z.strictObject({ ip: z.string() }).optional(),
};
const selector = z.strictObject({
  hardwareAddr: z.string().optional(),
  permanentAddr: z.string().optional(),
});
const device = z.strictObject({
  interface: z.string().optional(),
  deviceSelector: selector.optional(),
  bond: z
    .strictObject({
      deviceSelectors: z.array(selector),
      mode: z.string(),
      xmitHashPolicy: z.string().optional(),
      lacpRate: z.string().optional(),
      miimon: z.int().optional(),
    })
    .optional(),
  vlans: z.array(z.strictObject({ vlanId: z.int(), ...settings })).optional(),
  ...settings,
});
const texts = z.record(z.string(), z.string()).optional();
const node = z
  .strictObject({
    hostname: z.string(),
    ipAddress: z.string(),
    controlPlane: z.boolean(),
    installDisk: z.string().optional(),
    installDiskSelector: z.record(z.string(), z.string()).optional(),
    ignoreHostname: z.boolean().optional(),
    talosImageURL: z.string().regex(/^[^:]+\/[^:]+$/, "the version is added by talhelper"),
    machineSpec: z.strictObject({ mode: z.string(), arch: z.string(), secureboot: z.boolean().optional() }),
    schematic: z
      .strictObject({
        customization: z.strictObject({
          extraKernelArgs: z.array(z.string()).optional(),
          systemExtensions: z.strictObject({ officialExtensions: z.array(z.string()) }).optional(),
        }),
      })
      .optional(),
    nameservers: z.array(z.string()).optional(),
    disableSearchDomain: z.boolean(),
    networkInterfaces: z.array(device).optional(),
    nodeLabels: texts,
    nodeAnnotations: texts,
    nodeTaints: texts,
    patches: z.array(z.string()).optional(),
  })
  .refine((one) => (one.installDisk === undefined) !== (one.installDiskSelector === undefined));
export const talconfigSchema = z.strictObject({
  clusterName: z.string(),
  talosVersion: z.string().startsWith("v"),
  kubernetesVersion: z.string().startsWith("v"),
  endpoint: z.url(),
  domain: z.string().optional(),
  allowSchedulingOnControlPlanes: z.boolean(),
  additionalMachineCertSans: z.array(z.string()).optional(),
  additionalApiServerCertSans: z.array(z.string()).optional(),
  clusterPodNets: z.array(z.string()).optional(),
  clusterSvcNets: z.array(z.string()).optional(),
  cniConfig: z.strictObject({ name: z.string() }).optional(),
  imageFactory: z.strictObject({ registryURL: z.string(), protocol: z.string() }).optional(),
  patches: z.array(z.string()).optional(),
  nodes: z.array(node).min(1),
});

const worker: TalhelperNode = {
  name: "worker-1",
  address: "10.0.0.20",
  isControlPlane: false,
  hasForeignName: false,
  installDisk: "/dev/sda",
  links: [
    {
      mac: "02:00:00:00:00:14",
      addresses: ["10.0.0.20/24"],
      routes: [{ gateway: "10.0.0.1" }],
      vlans: [{ id: 14, addresses: ["10.0.14.20/24"] }],
    },
    { bond: { name: "bond0", macs: ["02:00:00:00:01:14", "02:00:00:00:02:14"], mode: "802.3ad" }, dhcp: {} },
  ],
  nameservers: ["10.0.0.1"],
  labels: { tier: "back" },
  annotations: {},
  taints: {},
  patches: ["debug: true\n"],
};

const cluster: TalhelperCluster = {
  name: "lab",
  endpoint: "https://10.0.0.10:6443",
  talos: "1.13.9",
  kubernetes: "1.36.3",
  dnsDomain: "cluster.local",
  podSubnets: ["10.244.0.0/16"],
  serviceSubnets: ["10.96.0.0/12"],
  certSANs: ["10.0.0.10"],
  installer: "factory.talos.dev/nocloud-installer/abc",
  schematic: { officialExtensions: ["siderolabs/qemu-guest-agent"] },
  architecture: "amd64",
  factory: "https://factory.talos.dev",
  patches: [],
  nodes: [worker],
};

const read = (changes: Partial<TalhelperCluster> = {}) =>
  talconfigSchema.parse(parse(talconfig({ ...cluster, ...changes })));

test("talconfig() writes what talhelper's schema allows and nothing else", () => {
  const [first] = read().nodes;
  expect(first).toMatchObject({
    hostname: "worker-1",
    networkInterfaces: [
      {
        deviceSelector: { hardwareAddr: "02:00:00:00:00:14" },
        routes: [{ network: "0.0.0.0/0", gateway: "10.0.0.1" }],
        vlans: [{ vlanId: 14 }],
      },
      { interface: "bond0", bond: { mode: "802.3ad" }, dhcp: true },
    ],
    schematic: {
      customization: { systemExtensions: { officialExtensions: ["siderolabs/qemu-guest-agent"] } },
    },
    patches: ["debug: true\n"],
  });
});

test("talconfig() leaves out what is empty, and names another factory and a disk by what it is like", () => {
  const { imageFactory, nodes } = read({
    factory: "http://factory.lan:8080",
    isSecureBoot: true,
    schematic: {},
    nodes: [{ ...worker, installDisk: { size: ">= 100GB" }, hasForeignName: true, labels: {}, patches: [] }],
  });
  expect(imageFactory).toEqual({ registryURL: "factory.lan:8080", protocol: "http" });
  expect(nodes[0]).toMatchObject({
    installDiskSelector: { size: ">= 100GB" },
    ignoreHostname: true,
    machineSpec: { secureboot: true },
  });
  expect(Object.keys(nodes[0] ?? {})).not.toEqual(expect.arrayContaining(["schematic"]));
});
