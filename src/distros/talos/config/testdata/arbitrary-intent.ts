import * as fc from "fast-check";
import type { DiskSelector, EncryptionIntent, MachineIntent, RegistryIntent, VolumeIntent } from "../machine-intent.ts";
import type { LinkIntent, LinkSettings, NetworkIntent } from "../network-intent.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
const byte = fc.integer({ min: 1, max: 254 });
const ipv4 = fc.tuple(byte, byte).map(([a, b]) => `10.${a}.${b}.7`);
const ipv6 = fc.integer({ min: 1, max: 0xffff }).map((n) => `fd00::${n.toString(16)}`);
const mac = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 5, maxLength: 5 })
  .map((bytes) => ["02", ...bytes.map((n) => n.toString(16).padStart(2, "0"))].join(":"));
const url = name.map((host) => `https://${host}.example.com/a`);
const words = (min: number, max: number) => fc.uniqueArray(name, { minLength: min, maxLength: max });
const textMap = fc.dictionary(
  name.map((key) => `example.com/${key}`),
  name,
  { maxKeys: 3 },
);

const settings: fc.Arbitrary<LinkSettings> = fc.record(
  {
    addresses: fc.uniqueArray(
      fc.oneof(
        ipv4.map((ip) => `${ip}/24`),
        ipv6.map((ip) => `${ip}/64`),
      ),
      { maxLength: 2 },
    ),
    routes: fc.array(
      fc.record(
        { gateway: ipv4, destination: byte.map((n) => `10.${n}.0.0/16`), metric: fc.integer({ min: 1, max: 2000 }) },
        { requiredKeys: ["gateway"] },
      ),
      { maxLength: 2 },
    ),
    mtu: fc.constantFrom(1400, 1500, 9000),
    dhcp: fc.record(
      { routeMetric: fc.integer({ min: 1, max: 2000 }), isHostnameIgnored: fc.boolean() },
      { requiredKeys: [] },
    ),
    vip: ipv4,
  },
  { requiredKeys: [] },
);

const vlans = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 2, max: 4000 }), settings).map(([id, more]) => ({ id, ...more })),
  { selector: ({ id }) => id, maxLength: 2 },
);

const bond = fc.record({
  macs: fc.uniqueArray(mac, { minLength: 2, maxLength: 2 }),
  mode: fc.constantFrom("active-backup" as const, "802.3ad" as const, "balance-xor" as const),
  miimonMs: fc.constant(100),
});

const link: fc.Arbitrary<LinkIntent> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(mac, settings, vlans).map(([m, s, v]) => ({ mac: m, ...s, vlans: v })) },
  fc.tuple(bond, settings, vlans).map(([b, s, v]) => ({ bond: { name: "bond0", ...b }, ...s, vlans: v })),
);

const network: fc.Arbitrary<NetworkIntent> = fc.record(
  {
    links: fc.uniqueArray(link, {
      selector: (one) => ("bond" in one ? "bond" : one.mac),
      minLength: 1,
      maxLength: 3,
    }),
    dns: fc.uniqueArray(ipv4, { maxLength: 2 }),
    searchDomains: words(0, 2).map((list) => list.map((word) => `${word}.lan`)),
    ntp: words(0, 2).map((list) => list.map((word) => `${word}.ntp.org`)),
    hosts: fc.dictionary(ipv4, words(1, 2), { maxKeys: 2 }),
  },
  { requiredKeys: ["links"] },
);

const disk: fc.Arbitrary<string | DiskSelector> = fc.oneof(
  name.map((word) => `/dev/${word}`),
  fc.record(
    {
      size: fc.constantFrom(">= 100GB", "< 1TB", "500GiB"),
      model: fc.constantFrom("WDC*", "QEMU HARDDISK"),
      serial: name,
      type: fc.constantFrom("ssd" as const, "hdd" as const, "nvme" as const, "sd" as const),
    },
    { requiredKeys: ["size"] },
  ),
);

const encryption: fc.Arbitrary<EncryptionIntent> = fc
  .uniqueArray(
    fc.constantFrom(
      { nodeId: true as const },
      { tpm: true as const },
      { passphrase: "a long passphrase" },
      { kmsEndpoint: "https://kms.example.com" },
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((keys) => ({ keys }));

const registry: fc.Arbitrary<RegistryIntent> = fc.record(
  {
    endpoints: fc.array(url, { minLength: 1, maxLength: 2 }),
    isPathOverridden: fc.boolean(),
    auth: fc.record({ username: name, password: name }),
    tls: fc.record({ isVerificationSkipped: fc.boolean() }),
  },
  { requiredKeys: [] },
);

const volume: fc.Arbitrary<VolumeIntent> = fc.record(
  {
    name,
    sizeGiB: fc.integer({ min: 1, max: 2000 }),
    device: name.map((word) => `/dev/${word}`),
    filesystem: fc.constantFrom("xfs" as const, "ext4" as const),
    encryption,
  },
  { requiredKeys: ["name", "sizeGiB", "device"] },
);

const cluster = fc.record(
  {
    name,
    endpoint: name.map((host) => `https://${host}:6443`),
    kubernetes: fc.constant("1.33.4"),
    dnsDomain: name.map((word) => `${word}.local`),
    podSubnets: fc.constant(["10.200.0.0/16"]),
    serviceSubnets: fc.constant(["10.201.0.0/16"]),
    cni: fc.oneof(
      fc.constant("none" as const),
      url.map((address) => ({ urls: [address] })),
    ),
    isKubeProxyOff: fc.boolean(),
    isSchedulingOnControlPlanes: fc.boolean(),
    localApiServerPort: fc.constant(7443),
    hasKubeSpan: fc.boolean(),
    externalCloudProvider: fc.record({ manifests: fc.array(url, { maxLength: 1 }) }, { requiredKeys: [] }),
    extraManifests: fc.uniqueArray(url, { maxLength: 2 }),
    inlineManifests: words(0, 2).map((names) =>
      names.map((word) => ({ name: word, contents: `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${word} }\n` })),
    ),
  },
  { requiredKeys: ["name", "endpoint", "kubernetes"] },
);

/** Machines of all kinds, for contracts 1.`oldest` to 1.`newest`. */
export const arbitraryIntent = (oldest: number, newest: number): fc.Arbitrary<MachineIntent> =>
  fc.integer({ min: oldest, max: newest }).chain((minor) =>
    fc
      .record({
        role: fc.constantFrom("control-plane" as const, "worker" as const),
        cluster,
        hostname: maybe(name),
        network: maybe(network),
        install: fc.record(
          {
            disk,
            image: fc.constant("factory.talos.dev/metal-installer/abc:v1.13.9"),
            ...(minor < 12 && { extraKernelArgs: words(1, 2) }),
          },
          { requiredKeys: ["disk"] },
        ),
        certSANs: maybe(words(0, 2)),
        nodeSubnets: maybe(fc.constant(["10.0.0.0/8", "!10.0.0.9/32"])),
        labels: maybe(textMap),
        annotations: maybe(textMap),
        taints: maybe(textMap.map((map) => Object.fromEntries(Object.keys(map).map((key) => [key, "x:NoSchedule"])))),
        kubelet: maybe(
          fc.record(
            {
              extraArgs: fc.constant({ "rotate-server-certificates": "true" }),
              config: fc.constant({ maxPods: 200, imageGCHighThresholdPercent: 70 }),
              clusterDns: fc.constant(["10.201.0.10"]),
              mounts: words(0, 2).map((list) => list.map((word) => `/var/mnt/${word}`)),
            },
            { requiredKeys: [] },
          ),
        ),
        sysctls: maybe(fc.dictionary(name, name, { maxKeys: 2 })),
        kernelModules: maybe(words(0, 2).map((names) => names.map((word) => ({ name: word, parameters: ["a=b"] })))),
        registries: maybe(fc.dictionary(name.map((host) => `${host}.io`), registry, { maxKeys: 2 })),
        volumes: maybe(fc.uniqueArray(volume, { selector: (one) => one.name, maxLength: 2 })),
        encryption: maybe(fc.record({ state: encryption, ephemeral: encryption }, { requiredKeys: [] })),
        isWorkloadIsolated: maybe(fc.boolean()),
      })
      .map((intent) => withoutUndefined({ contract: `1.${minor}`, ...intent })),
  );

const withoutUndefined = (intent: object): MachineIntent =>
  Object.fromEntries(Object.entries(intent).filter(([, value]) => value !== undefined)) as unknown as MachineIntent;
