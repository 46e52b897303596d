import * as fc from "fast-check";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const some = <T>(arbitrary: fc.Arbitrary<T>, most = 2) => fc.array(arbitrary, { minLength: 1, maxLength: most });
const word = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/);
const words = (most: number) => fc.uniqueArray(word, { minLength: 1, maxLength: most });
const host = word.map((name) => `${name}.example.org`);
const url = host.map((name) => `https://${name}/a`);
const secret = word.map((name) => ({ env: name.toUpperCase() }));
const keyed = <T>(value: fc.Arbitrary<T>) => fc.dictionary(word.map((key) => `example.org/${key}`), value, { minKeys: 1, maxKeys: 2 });
const record = <T extends Record<string, unknown>>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });

const versions = ["1.8.4", "1.9.6", "1.10.9", "1.11.6", "1.12.6", "1.13.9", "1.14.1"];
const minorOf = (version: string): number => Number(version.split(".")[1]);

/** What may differ from node to node. */
const nodeTalos = record({
  installDisk: fc.oneof(
    fc.constantFrom("/dev/sda", "/dev/vda"),
    fc.constantFrom<Record<string, string>>({ size: ">= 100GB", type: "ssd" }, { model: "WDC*" }, { serial: "A1", type: "nvme" }),
  ),
  kernelModules: fc.uniqueArray(fc.oneof(word, fc.tuple(word, words(2)).map(([name, parameters]) => ({ name, parameters }))), {
    maxLength: 2,
    selector: (one) => (typeof one === "string" ? one : one.name),
  }),
  sysctls: fc.dictionary(word.map((name) => `vm.${name}`), fc.oneof(fc.nat(), word), { maxKeys: 2 }),
  kubelet: record({
    args: fc.constant({ "rotate-server-certificates": true, v: 2 }),
    config: fc.constant({ maxPods: 200, imageGCHighThresholdPercent: 70 }),
    mounts: words(2).map((names) => names.map((name) => `/var/mnt/${name}`)),
  }),
});

/** The numbers keep networks of all links apart. */
const link = (network: number, mtus: number[]) =>
  fc.oneof(
    record({
      address: fc.constant(`10.${network}.0.11/24`),
      mtu: fc.constantFrom(...mtus),
      routes: fc.constant([{ to: `10.${network + 100}.0.0/16`, via: ".1", metric: 700 }]),
    }).map((fields) => ("address" in fields ? fields : {})),
    fc.constant({ dhcp: true }),
  );
const vlans = (network: number) =>
  fc.tuple(link(network, [1400, 1500]), link(network + 1, [1400, 1500])).map(([a, b]) => [
    { id: 20, ...a },
    { id: 21, ...b },
  ]);
const bond = record({
  mode: fc.constantFrom("active-backup", "802.3ad", "balance-xor"),
  hashPolicy: fc.constantFrom("layer2", "layer3+4"),
}).map((fields) => ({ ...fields, bridges: ["vmbr8"] }));
const nics = (network: number) =>
  fc
    .tuple(link(network, [1500, 9000]), maybe(vlans(network + 1)), link(network + 3, [1500, 9000]), maybe(bond), fc.nat(2))
    .map(([first, tagged, second, joined, count]) =>
      [
        { bridge: "vmbr1", ...first, ...(tagged && { vlans: tagged }) },
        { bridge: "vmbr2", vlan: 30, ...second, ...(joined && { bond: joined }) },
      ].slice(0, count),
    );

const pool = (network: number, count: fc.Arbitrary<number>) =>
  record({
    count,
    nics: nics(network),
    vlans: vlans(network + 10),
    dhcp: fc.boolean(),
    talos: nodeTalos,
    labels: keyed(word),
    annotations: keyed(fc.constant("any text: at all")),
    taints: keyed(fc.constantFrom("NoSchedule", "x:NoExecute")),
    dataDisks: fc.constant([{ size: "50GiB", for: "longhorn" }, { size: "60GiB", for: "longhorn" }, { size: "7GiB" }]),
  });

const registry = (version: string, ca: string) =>
  record({
    mirrors: some(url),
    overridePath: fc.boolean(),
    ...(minorOf(version) >= 9 && { skipFallback: fc.boolean() }),
    auth: fc.oneof(
      secret.map((token) => ({ token })),
      fc.tuple(word, secret).map(([username, password]) => ({ username, password })),
    ),
    ca: fc.constant(ca),
    insecure: fc.boolean(),
  });
const diskKey = fc.oneof(
  fc.constant({ nodeId: true }),
  fc.constant({ tpm: true }),
  secret.map((passphrase) => ({ passphrase })),
  url.map((kms) => ({ kms })),
);

const talos = (version: string, contract: number | undefined, ca: string) =>
  fc
    .tuple(
      nodeTalos,
      fc.constantFrom({}, { discovery: false }, { discovery: true, kubeSpan: true }, { kubeSpan: true }),
      record({
        registries: fc.dictionary(host, registry(version, ca), { maxKeys: 2 }),
        encryption: record({ state: diskKey, ephemeral: diskKey }),
        certSANs: some(fc.oneof(host, fc.constant("203.0.113.7"))),
        ...((contract ?? minorOf(version)) >= 14 && { workloadIsolation: fc.boolean() }),
      }),
    )
    .map(([node, finding, more]) => ({ version, ...(contract !== undefined && { contract: `v1.${contract}` }), secureBoot: JSON.stringify(more).includes("tpm"), ...node, ...finding, ...more }));

/** Who connects pods and leads to services, in all ways that go together. */
const proxies = fc.constantFrom<{ network: object; addons?: string[] }>(
  { network: {} },
  { network: { cni: "flannel", kubeProxy: true } },
  { network: { cni: "none" } },
  { network: { cni: "none", kubeProxy: false } },
  { network: {}, addons: ["cilium"] },
);

const network = record({
  dns: some(fc.constantFrom(".1", "1.1.1.1", "9.9.9.9"), 3),
  search: some(host),
  ntp: some(fc.oneof(host, fc.constant(".1"))),
  hosts: fc.dictionary(host, fc.constantFrom(".5", "10.9.8.7"), { maxKeys: 2 }),
  dhcp: fc.boolean(),
  mtu: fc.constantFrom(1500, 9000),
  routes: fc.constant([{ to: "10.250.0.0/16", via: ".2" }]),
  vip: fc.constant(".100"),
  dnsDomain: host,
});

/** Talos 1.8 has none. */
const withoutSearch = ({ search: _none, ...rest }: { search?: string[] }): object => rest;

const cluster = (ca: string) =>
  fc
    .tuple(fc.constantFrom(...versions), fc.option(fc.nat(100), { nil: undefined }))
    // Any contract that this version still reads.
    .map(([version, n]) => [version, n === undefined ? undefined : 8 + (n % (minorOf(version) - 7))] as const)
    .chain(([version, contract]) =>
      fc
        .tuple(
          talos(version, contract, ca),
          network,
          proxies,
          pool(20, fc.constantFrom(1, 3)),
          pool(60, fc.integer({ min: 0, max: 3 })),
          record({
            scheduleOnControlPlanes: fc.boolean(),
            externalCloudProvider: fc.oneof(fc.constant({}), some(url).map((manifests) => ({ manifests }))),
            extraManifests: fc.uniqueArray(url, { maxLength: 2 }),
            inlineManifests: fc.dictionary(word, fc.constant("apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n"), { maxKeys: 2 }),
            tags: words(2),
          }),
        )
        .map(([system, net, { network: proxy, addons }, controlPlanes, workers, more]) => ({
          talos: system,
          network: { cidr: "192.168.1.0/24", ...(minorOf(version) < 9 ? withoutSearch(net) : net), ...proxy },
          controlPlanes,
          workers,
          ...(addons && { addons }),
          ...more,
        })),
    );

/** The text of a cluster file with one cluster; JSON is YAML. `ca` is any certificate. */
export const arbitrarySpec = (ca: string): fc.Arbitrary<string> =>
  cluster(ca).map((one) =>
    JSON.stringify({
      version: 1,
      hosts: {
        hydra: { proxmox: { url: "https://192.168.1.10:8006", token: { id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } } } },
      },
      clusters: { lab: one },
    }),
  );
