/** Patches on which `talosctl machineconfig patch` and we must agree byte for byte, each with what it shows. */
export const agreedPatches: [string, string][] = [
  [
    "lists and maps of the machine",
    `machine:
  certSANs: [x, y]
  sysctls: { net.core.somaxconn: "65535" }
  kernel: { modules: [{ name: nbd, parameters: [a] }, { name: br_netfilter }] }
  env: { B: "1", A: "2" }
  sysfs: { a: b }`,
  ],
  [
    "kubelet arguments, free-form config and mounts",
    `machine:
  kubelet:
    nodeIP: { validSubnets: [10.0.0.0/8] }
    extraArgs: { rotate-server-certificates: "true", feature: [a, b] }
    extraConfig: { serverTLSBootstrap: true, maxPods: 250, z: { b: 1, a: 2 } }
    extraMounts: [{ destination: /var/a, type: bind, source: /var/a, options: [bind, rshared, rw] }]
    registerWithFQDN: true
    skipNodeRegistration: false`,
  ],
  [
    "network interfaces",
    `machine:
  network:
    nameservers: [1.1.1.1]
    extraHostEntries: [{ ip: 1.2.3.4, aliases: [a, b] }]
    interfaces:
      - { interface: eth0, dhcp: true, mtu: 1500, vlans: [{ vlanId: 5, dhcp: true }], routes: [{ network: 10.0.0.0/8 }] }
      - { deviceSelector: { physical: true, busPath: "0*" }, bond: { mode: 802.3ad, interfaces: [a, b], miimon: 100 } }`,
  ],
  [
    "features with flags off and zeros",
    `machine:
  features:
    kubernetesTalosAPIAccess: { enabled: true, allowedRoles: [os:reader], allowedKubernetesNamespaces: [kube-system] }
    hostDNS: { resolveMemberNames: true, enabled: false }
    kubePrism: { enabled: false, port: 0 }`,
  ],
  [
    "installation and registries",
    `machine:
  install: { disk: /dev/nvme0n1, diskSelector: { size: ">= 100GB", type: nvme }, wipe: true }
  registries:
    mirrors: { docker.io: { endpoints: [https://m], overridePath: true } }
    config: { r: { tls: { insecureSkipVerify: true }, auth: { username: u, password: p } } }`,
  ],
  [
    "logging, udev, taints and annotations",
    `machine:
  logging: { destinations: [{ endpoint: "tcp://1.2.3.4:12345/", format: json_lines, extraTags: { b: c, a: d } }] }
  udev: { rules: [a] }
  nodeTaints: { k: v:NoSchedule }
  nodeAnnotations: { z: a, b: "" }`,
  ],
  [
    "a label that was empty",
    `machine: { nodeLabels: { a: "", node.kubernetes.io/exclude-from-external-load-balancers: x } }`,
  ],
  ["durations", "machine: { time: { servers: [a.b], bootTimeout: 2m } }\ncluster: { adminKubeconfig: { certLifetime: 90m } }"],
  [
    "no CNI and no kube-proxy",
    `cluster:
  network: { cni: { name: none }, podSubnets: [10.1.0.0/16], dnsDomain: x.y }
  proxy: { disabled: true }
  allowSchedulingOnControlPlanes: true`,
  ],
  [
    "manifests and cloud provider",
    `cluster:
  network: { cni: { name: flannel, flannel: { extraArgs: [--a], kubeNetworkPoliciesEnabled: true } } }
  coreDNS: { disabled: true, image: a }
  extraManifests: [https://a, https://b]
  extraManifestHeaders: { b: a, a: b }
  externalCloudProvider: { enabled: true, manifests: [https://x] }
  inlineManifests: [{ name: a, contents: "\\n\\na: b\\nc: d\\n" }, { name: b, contents: x }]`,
  ],
  [
    "the API server",
    `cluster:
  apiServer:
    extraArgs: { v: "4" }
    extraVolumes: [{ hostPath: /a, mountPath: /b }, { hostPath: /a, mountPath: /b, readonly: true }]
    env: { X: y }
    certSANs: [a]
    auditPolicy: { kind: Policy, apiVersion: audit.k8s.io/v1, rules: [{ level: None }] }
    resources: { requests: { cpu: 1, memory: 1Gi } }
    authorizationConfig: [{ type: Node, name: node }, { type: Webhook, name: w, webhook: { timeout: 3s } }]
    admissionControl:
      - { name: PodSecurity, configuration: { exemptions: { namespaces: [a] } } }
      - { name: Other, configuration: { kind: X } }`,
  ],
  [
    "scheduler, controller manager and etcd",
    `cluster:
  scheduler: { config: { profiles: [{ b: 1, a: 2 }] }, extraArgs: { a: b } }
  controllerManager: { extraArgs: { bind-address: 0.0.0.0 } }
  etcd: { extraArgs: { listen-metrics-urls: "http://0.0.0.0:2381" }, advertisedSubnets: [10.0.0.0/8], image: x }`,
  ],
  [
    "discovery and endpoint",
    `cluster:
  discovery: { enabled: false, registries: { service: { disabled: true, endpoint: https://d } } }
  controlPlane: { endpoint: "https://other:443/path", localAPIServerPort: 7443 }
  clusterName: new`,
  ],
  [
    "deletions",
    `cluster:
  apiServer: { admissionControl: { $patch: delete }, auditPolicy: { $patch: delete } }
  etcd: { ca: { $patch: delete } }
  discovery: { $patch: delete }
machine: { nodeLabels: { $patch: delete } }`,
  ],
  ["a hostname", "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: foo\nauto: off"],
  [
    "a hostname of the older kind",
    "apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete\n---\nmachine: { network: { hostname: foo } }",
  ],
  [
    "volumes",
    `apiVersion: v1alpha1
kind: UserVolumeConfig
provisioning: { minSize: 10GB, grow: true, maxSize: 50%, diskSelector: { match: "disk.transport == 'nvme'" } }
name: data
filesystem: { type: ext4 }
---
kind: VolumeConfig
apiVersion: v1alpha1
name: EPHEMERAL
provisioning: { maxSize: 60GiB, diskSelector: { match: system_disk } }
encryption: { provider: luks2, keys: [{ slot: 0, nodeID: {} }] }`,
  ],
  [
    "network documents",
    `kind: LinkConfig
apiVersion: v1alpha1
name: eth1
routes: [{ gateway: 10.0.0.1, destination: 10.1.0.0/16, metric: 100 }]
addresses: [{ address: 10.0.0.2/24 }]
mtu: 9000
up: true
---
apiVersion: v1alpha1
kind: ResolverConfig
searchDomains: { domains: [a.b], disableDefault: true }
nameservers: [{ address: 1.1.1.1 }]
---
apiVersion: v1alpha1
kind: NetworkRuleConfig
name: r
ingress: [{ except: 10.1.0.0/16, subnet: 10.0.0.0/8 }]
portSelector: { protocol: tcp, ports: [50000, 100-200] }
---
apiVersion: v1alpha1
kind: VLANConfig
name: v5
parent: eth0
vlanID: 5
addresses: [{ address: 1.2.3.4/24 }]
---
apiVersion: v1alpha1
kind: DHCPv4Config
name: eth0
ignoreHostname: true
routeMetric: 5`,
  ],
  [
    "documents of other kinds",
    `apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: x
environment: [A=B]
configFiles: [{ mountPath: /a, content: "hi\\nho" }]
---
apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: docker.io
skipFallback: true
endpoints: [{ url: https://a, overridePath: true }]
---
apiVersion: v1alpha1
kind: KubeSpanConfig
enabled: true
---
apiVersion: v1alpha1
kind: WatchdogTimerConfig
timeout: 1m
device: /dev/watchdog0
---
apiVersion: v1alpha1
kind: TimeSyncConfig
ntp: { servers: [a] }
enabled: true`,
  ],
  [
    "pods, profiles and overrides",
    `machine:
  pods: [{ kind: Pod, apiVersion: v1, metadata: { name: a } }]
  seccompProfiles: [{ name: a, value: { z: 1, a: 2 } }]
  baseRuntimeSpecOverrides: { process: { rlimits: [] } }
  controlPlane: { scheduler: { disabled: true } }
  systemDiskEncryption: { state: { provider: luks2, keys: [{ nodeID: {}, slot: 0 }] } }`,
  ],
  ["empty values", 'machine: { token: "", type: "", ca: { key: "" } }'],
  ["empty lists", "machine: { certSANs: [] }\ncluster: { extraManifests: [], inlineManifests: [] }"],
  ["flags at the top", "debug: true\npersist: false"],
  [
    "a document deleted and written anew in one file",
    `apiVersion: v1alpha1
kind: HostnameConfig
$patch: delete
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
hostname: b`,
  ],
  [
    "a document written and then deleted in one file",
    `apiVersion: v1alpha1
kind: HostnameConfig
hostname: b
---
apiVersion: v1alpha1
kind: HostnameConfig
$patch: delete`,
  ],
  [
    "parts of the main document merged and deleted in one file",
    `machine: { certSANs: [b] }
---
machine: { certSANs: { $patch: delete } }`,
  ],
];

export const refusedPatches: [string, string][] = [
  ["an unknown key", "machine: { foo: 1 }"],
  ["nothing there to delete", "machine: { kubelet: { extraConfig: { a: { $patch: delete } } } }"],
  ["a JSON patch on two documents", "- { op: remove, path: /machine/token }"],
  ["a list where a map belongs", "machine: { kubelet: [a] }"],
  ["something else entirely", "hello"],
  ["two documents alike", "machine: { type: worker }\n---\nmachine: { type: worker }"],
  [
    "two documents of one kind that both have something to merge",
    "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: { $patch: delete }\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: b",
  ],
];
