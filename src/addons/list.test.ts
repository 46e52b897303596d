import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { expectGolden } from "../../test/support/golden.ts";
import { addons as allAddons } from "./index.ts";
import { installAddons } from "./steps/index.ts";
import { addonCluster } from "./testdata/addon-cluster.ts";

const cases: [name: string, addons: string, more?: string][] = [
  ["cilium", "- cilium"],
  [
    "cilium-l2",
    "- cilium: { loadBalancer: { pools: [.200-.220, 192.168.1.240/29], interfaces: [^eth0] }, hubble: ui, gatewayApi: true }",
  ],
  [
    "cilium-bgp",
    "- cilium: { loadBalancer: { pools: [10.20.0.0/24], bgp: { asn: 64512, peers: [{ address: .1, asn: 64513 }] } }, bandwidthManager: true, devices: [eth0], hubble: relay }",
  ],
  ["cilium-beside-kube-proxy", "- cilium: { kubeProxyReplacement: false }"],
  [
    "nfs-csi",
    "- nfs-csi: { server: nas.lan, share: /volume1/k8s, storageClass: { subDir: '${pvc.metadata.name}', onDelete: archive, reclaimPolicy: Retain } }",
  ],
  ["proxmox-ccm", "- proxmox-ccm"],
  [
    "proxmox-csi",
    "- proxmox-csi: { storageClasses: [{ name: fast, storage: local-lvm }, { name: slow, storage: ceph, fstype: xfs }] }",
  ],
  ["longhorn", "- longhorn"],
  ["prometheus-crds", "- prometheus-crds"],
  ["metrics-server", "- metrics-server"],
  ["cert-manager", "- cert-manager"],
  [
    "gateway-api-crds-offline",
    "- gateway-api-crds: { channel: experimental }",
    "charts: { folder: ./charts }",
  ],
  [
    "flux-https",
    "- flux: { url: https://git.example.org/fleet.git, credentials: { password: { env: GIT_TOKEN }, ca: { file: ./ca.pem } }, ageKey: { command: [pass, age] } }",
  ],
  [
    "flux-ssh",
    "- flux: { url: ssh://git@git.example.org/fleet.git, path: fleet, credentials: { sshKey: { file: ./key }, knownHosts: { file: ./known } } }",
  ],
  ["argocd-alone", "- argocd"],
  [
    "argocd",
    "- argocd: { repository: { url: https://git.example.org:8443/apps.git, path: apps, credentials: { password: { env: GIT_TOKEN }, ca: { file: ./ca.pem } } }, prune: true }",
  ],
  [
    "own",
    `- chart:
    name: podinfo
    namespace: apps
    podSecurity: restricted
    chart: { oci: oci://ghcr.io/stefanprodan/charts/podinfo }
    version: 6.9.2
    values: { replicaCount: 2 }
    secretValues: { redis.password: { env: REDIS } }
- manifest: { name: policies, url: https://example.org/policies.yaml, namespace: kube-system }
- manifest: { name: extras, file: ./extras.yaml, namespace: extras, after: [policies] }`,
  ],
  [
    "values-of-ones-own",
    `- cilium:
    version: 1.20.2
    chart: { repository: https://charts.example.org }
    values: { operator: { replicas: 1 }, envoy: { enabled: false }, securityContext: { capabilities: { ciliumAgent: [BPF] } } }
    valuesFiles: ./cilium.yaml
    secretValues: { hubble.tls.ca.key: { env: CA_KEY } }`,
  ],
];

test.each(cases)("%s is made of these parts", async (name, addons, more) => {
  const cluster = addonCluster(addons, more);
  const names = new Set(cluster.addons.map((addon) => addon.name));
  const told = (await installAddons(cluster, allAddons)).map(({ addon, installation, version, after }) => {
    const input = { addon, cluster, version, names };
    return {
      id: addon.id,
      version,
      after,
      parts: installation.parts(input),
      readiness: installation.readiness(input),
    };
  });
  expectGolden(
    `${JSON.stringify(told, undefined, 1)}\n`,
    import.meta.dirname,
    "testdata",
    `${name}.expected.json`,
  );
});

const shared = new Set(["common", "steps", "testdata"]);
const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !shared.has(entry.name))
  .map(({ name }) => name);

test("every folder of an add-on has its line in the list", () => {
  const names = allAddons.map(({ name, ownName }) => (ownName ? "own" : name));
  expect([...new Set(names)].toSorted()).toEqual(folders.toSorted());
});

test("Flux and Argo CD take a repository in the same words, and Flux also without the word", () => {
  const words =
    "url: https://git.example.org/fleet.git, branch: live, path: apps, credentials: { password: { env: T } }";
  const optionsOf = (text: string) => addonCluster(text).addons.map(({ options }) => options);
  const [[flux], [argocd], [old]] = [
    optionsOf(`- flux: { repository: { ${words} } }`),
    optionsOf(`- argocd: { repository: { ${words} } }`),
    optionsOf(`- flux: { ${words} }`),
  ];
  const said = { url: "https://git.example.org/fleet.git", path: "apps" };
  const credentials = { username: "git", password: { env: "T" } };
  expect(flux).toMatchObject({ ...said, branch: "live", credentials });
  expect(argocd).toMatchObject({ repository: { ...said, revision: "live", credentials } });
  expect(old).toEqual(flux);
  expect(() => addonCluster("- flux: {}")).toThrow(/Flux has no repository/);
  expect(() => addonCluster(`- flux: { repository: { ${words} }, path: other }`)).toThrow(
    /"path" stands beside/,
  );
  expect(() => addonCluster(`- argocd: { repository: { ${words}, revision: v1 } }`)).toThrow(
    /branch and a revision/,
  );
});

test("every folder of an add-on has a page of docs", () => {
  const pages = folders.filter((name) => existsSync(path.join(import.meta.dirname, name, "page.md")));
  expect(pages).toEqual(folders);
});

test("a secret is nothing but its place until the add-on is installed", async () => {
  const cluster = addonCluster(
    "- flux: { url: https://git.example.org/fleet.git, credentials: { password: { env: GIT_TOKEN } } }\n- proxmox-ccm",
  );
  const parts = (await installAddons(cluster, allAddons)).flatMap(({ addon, installation, version }) =>
    installation.parts({ addon, cluster, version, names: new Set() }),
  );
  const secrets = parts
    .flatMap((part) => (part.kind === "objects" ? part.objects : []))
    .filter((each) => each.secrets);
  expect(
    secrets.map((each) => [each.manifest.metadata.name, each.manifest["stringData"], each.secrets]),
  ).toEqual([
    [
      "flux-system",
      { username: "git" },
      [{ path: ["stringData", "password"], secret: { env: "GIT_TOKEN" } }],
    ],
    [
      "proxmox-cloud-controller-manager",
      {},
      [{ path: ["stringData", "config.yaml"], secret: "cloudAccount" }],
    ],
  ]);
});
