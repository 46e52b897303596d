import {
  duration,
  extraArgs,
  flag,
  free,
  list,
  map,
  open,
  replacedAs,
  struct,
  text,
  textMap,
  texts,
  url,
} from "./shape.ts";

/** A patch must bring both parts: what it leaves out is emptied. */
export const identity = replacedAs(struct({ crt: text, key: text }, { crt: "", key: "" }));
export const certificates = list(struct({ crt: text }));
const disabled = struct({ disabled: flag });

const deviceSelector = struct({
  busPath: text,
  hardwareAddr: text,
  permanentAddr: text,
  pciID: text,
  driver: text,
  physical: flag,
});

const routes = list(
  struct(
    { network: text, gateway: text, source: text, metric: text, mtu: text },
    { network: "", gateway: "" },
  ),
);

const vip = struct({
  ip: text,
  equinixMetal: struct({ apiToken: text }),
  hcloud: struct({ apiToken: text }),
});

const dhcpOptions = struct({ routeMetric: text, ipv4: flag, ipv6: flag, duidv6: text }, { routeMetric: 0 });

const vlans = list(
  struct(
    { addresses: texts, cidr: text, routes, dhcp: flag, vlanId: text, mtu: text, vip, dhcpOptions },
    { routes: [], vlanId: 0 },
  ),
  ["vlanId"],
);

const interfaces = list(
  struct({
    interface: text,
    deviceSelector,
    addresses: texts,
    cidr: text,
    routes,
    bond: open({ interfaces: texts, deviceSelectors: list(deviceSelector) }),
    bridge: struct({
      interfaces: texts,
      stp: struct({ enabled: flag }),
      vlan: struct({ vlanFiltering: flag }),
    }),
    bridgePort: struct({ master: text }),
    vlans,
    mtu: text,
    dhcp: flag,
    ignore: flag,
    dummy: flag,
    dhcpOptions,
    wireguard: struct({
      privateKey: text,
      listenPort: text,
      firewallMark: text,
      peers: list(
        struct({ publicKey: text, endpoint: text, persistentKeepaliveInterval: duration, allowedIPs: texts }),
      ),
    }),
    vip,
  }),
  ["interface", "deviceSelector"],
);

const network = struct({
  hostname: text,
  interfaces,
  nameservers: texts,
  searchDomains: texts,
  extraHostEntries: list(struct({ ip: text, aliases: texts })),
  kubespan: struct({
    enabled: flag,
    advertiseKubernetesNetworks: flag,
    allowDownPeerBypass: flag,
    harvestExtraEndpoints: flag,
    mtu: flag,
    filters: struct({ endpoints: texts }),
  }),
  disableSearchDomain: flag,
});

const idMappings = list(struct({ containerID: text, hostID: text, size: text }));

const kubelet = struct({
  image: text,
  clusterDNS: texts,
  extraArgs,
  extraMounts: list(
    struct({
      destination: text,
      type: text,
      source: text,
      options: texts,
      uidMappings: idMappings,
      gidMappings: idMappings,
    }),
  ),
  extraConfig: free,
  credentialProviderConfig: free,
  defaultRuntimeSeccompProfileEnabled: flag,
  registerWithFQDN: flag,
  nodeIP: struct({ validSubnets: texts }),
  skipNodeRegistration: flag,
  disableManifestsDirectory: flag,
});

const install = struct({
  disk: text,
  diskSelector: struct({
    size: text,
    name: text,
    model: text,
    serial: text,
    modalias: text,
    uuid: text,
    wwid: text,
    type: text,
    busPath: text,
  }),
  extraKernelArgs: texts,
  image: text,
  extensions: list(struct({ image: text })),
  bootloader: flag,
  wipe: flag,
  legacyBIOSSupport: flag,
  grubUseUKICmdline: flag,
});

const registries = struct({
  mirrors: map(struct({ endpoints: texts, overridePath: flag, skipFallback: flag })),
  config: map(
    struct({
      tls: struct({ clientIdentity: identity, ca: text, insecureSkipVerify: flag }),
      auth: struct({ username: text, password: text, auth: text, identityToken: text }),
    }),
  ),
});

const encryption = open({ provider: text, keys: list(open({})) });

const features = struct({
  rbac: flag,
  stableHostname: flag,
  kubernetesTalosAPIAccess: struct({
    enabled: flag,
    allowedRoles: texts,
    allowedKubernetesNamespaces: texts,
  }),
  apidCheckExtKeyUsage: flag,
  diskQuotaSupport: flag,
  kubePrism: struct({ enabled: flag, port: text }),
  hostDNS: struct({ enabled: flag, forwardKubeDNSToHost: flag, resolveMemberNames: flag }),
  imageCache: struct({ localEnabled: flag }),
  nodeAddressSortAlgorithm: text,
});

/** `machine` of the large document, as of Talos 1.13; older versions know a part of it. */
export const machineShape = struct(
  {
    type: text,
    token: text,
    ca: identity,
    acceptedCAs: certificates,
    certSANs: texts,
    controlPlane: struct({ controllerManager: disabled, scheduler: disabled }),
    kubelet,
    pods: list(free),
    network,
    disks: list(struct({ device: text, partitions: list(struct({ size: text, mountpoint: text })) })),
    install,
    files: list(struct({ content: text, permissions: text, path: text, op: text })),
    env: textMap,
    time: struct({ disabled: flag, servers: texts, bootTimeout: duration }),
    sysctls: textMap,
    sysfs: textMap,
    registries,
    systemDiskEncryption: struct({ state: encryption, ephemeral: encryption }),
    features,
    udev: struct({ rules: texts }),
    logging: struct({ destinations: list(struct({ endpoint: url, format: text, extraTags: textMap })) }),
    kernel: struct({ modules: list(struct({ name: text, parameters: texts })) }),
    seccompProfiles: list(struct({ name: text, value: free })),
    baseRuntimeSpecOverrides: free,
    nodeLabels: textMap,
    nodeAnnotations: textMap,
    nodeTaints: textMap,
  },
  { type: "", token: "", certSANs: [] },
);
