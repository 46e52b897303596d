import {
  duration,
  extraArgs,
  flag,
  free,
  list,
  map,
  part,
  replacedAs,
  since,
  struct,
  text,
  textMap,
  texts,
  url,
  type Shape,
} from "./shape.ts";

/** A patch must bring both parts: what it leaves out is emptied. */
export const identity = replacedAs(struct({ crt: text, key: text }, { crt: "", key: "" }));
export const certificates = list(struct({ crt: text }));
const disabled = struct({ disabled: flag });

const deviceSelector = struct({
  busPath: text,
  hardwareAddr: text,
  permanentAddr: since(9, text),
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
  equinixMetal: struct({ apiToken: text }, { apiToken: "" }),
  hcloud: struct({ apiToken: text }, { apiToken: "" }),
});

const dhcpOptions = struct({ routeMetric: text, ipv4: flag, ipv6: flag, duidv6: text }, { routeMetric: 0 });

const vlans = list(
  struct(
    { addresses: texts, cidr: text, routes, dhcp: flag, vlanId: text, mtu: text, vip, dhcpOptions },
    { routes: [], vlanId: 0 },
  ),
  ["vlanId"],
);

const all = (names: string, shape: Shape): Record<string, Shape> =>
  Object.fromEntries(names.split(" ").map((name) => [name, shape]));

const bond = struct(
  {
    interfaces: texts,
    deviceSelectors: list(deviceSelector),
    arpIPTarget: texts,
    ...all("mode xmitHashPolicy lacpRate adActorSystem arpValidate arpAllTargets primary", text),
    ...all("primaryReselect failOverMac adSelect miimon updelay downdelay arpInterval resendIgmp", text),
    ...all("minLinks lpInterval packetsPerSlave numPeerNotif tlbDynamicLb allSlavesActive", text),
    useCarrier: flag,
    ...all("adActorSysPrio adUserPortKey peerNotifyDelay", text),
  },
  { interfaces: [], mode: "" },
);

const interfaces = list(
  struct({
    interface: text,
    deviceSelector,
    addresses: texts,
    cidr: text,
    routes,
    bond,
    bridge: struct(
      { interfaces: texts, stp: struct({ enabled: flag }), vlan: struct({ vlanFiltering: flag }) },
      { interfaces: [] },
    ),
    bridgePort: since(9, struct({ master: text })),
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
  searchDomains: since(9, texts),
  extraHostEntries: list(struct({ ip: text, aliases: texts }, { ip: "", aliases: [] })),
  kubespan: struct({
    enabled: flag,
    advertiseKubernetesNetworks: flag,
    allowDownPeerBypass: flag,
    harvestExtraEndpoints: flag,
    mtu: flag,
    filters: struct({ endpoints: texts, excludeAdvertisedNetworks: since(12, texts) }),
  }),
  disableSearchDomain: flag,
});

const idMappings = list(
  struct({ containerID: text, hostID: text, size: text }, { containerID: 0, hostID: 0, size: 0 }),
);

const kubelet = struct({
  image: text,
  clusterDNS: texts,
  extraArgs,
  extraMounts: list(
    struct(
      {
        destination: text,
        type: text,
        source: text,
        options: texts,
        uidMappings: idMappings,
        gidMappings: idMappings,
      },
      { destination: "" },
    ),
  ),
  extraConfig: free,
  credentialProviderConfig: free,
  defaultRuntimeSeccompProfileEnabled: flag,
  registerWithFQDN: flag,
  nodeIP: struct({ validSubnets: texts }),
  skipNodeRegistration: flag,
  disableManifestsDirectory: flag,
});

const install = struct(
  {
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
    extensions: list(struct({ image: text }, { image: "" })),
    bootloader: flag,
    wipe: flag,
    legacyBIOSSupport: flag,
    grubUseUKICmdline: since(12, flag),
  },
  { wipe: null },
);

const registries = part({
  mirrors: map(
    struct({ endpoints: texts, overridePath: flag, skipFallback: since(9, flag) }, { endpoints: [] }),
  ),
  config: map(
    struct({
      tls: struct({ clientIdentity: identity, ca: text, insecureSkipVerify: flag }),
      auth: struct({ username: text, password: text, auth: text, identityToken: text }),
    }),
  ),
});

const encryptionKey = struct(
  {
    static: struct({ passphrase: text }),
    nodeID: struct({}),
    kms: struct({ endpoint: text }, { endpoint: "" }),
    slot: text,
    tpm: struct({ checkSecurebootStatusOnEnroll: flag }),
  },
  { slot: 0 },
);

const encryption = struct(
  {
    provider: text,
    keys: list(encryptionKey),
    cipher: text,
    keySize: text,
    blockSize: text,
    options: texts,
  },
  { provider: "", keys: [] },
);

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
  imageCache: since(9, struct({ localEnabled: flag })),
  nodeAddressSortAlgorithm: since(9, text),
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
    files: list(
      struct(
        { content: text, permissions: text, path: text, op: text },
        { content: "", permissions: 0, path: "", op: "" },
      ),
    ),
    env: textMap,
    time: struct({ disabled: flag, servers: texts, bootTimeout: duration }),
    sysctls: textMap,
    sysfs: textMap,
    registries,
    systemDiskEncryption: struct({ state: encryption, ephemeral: encryption }),
    features,
    udev: struct({ rules: texts }),
    logging: struct(
      {
        destinations: list(
          struct({ endpoint: url, format: text, extraTags: textMap }, { endpoint: null, format: "" }),
        ),
      },
      { destinations: [] },
    ),
    kernel: struct({ modules: list(struct({ name: text, parameters: texts }, { name: "" })) }),
    seccompProfiles: list(struct({ name: text, value: free }, { name: "", value: {} })),
    baseRuntimeSpecOverrides: since(9, free),
    nodeLabels: textMap,
    nodeAnnotations: textMap,
    nodeTaints: textMap,
  },
  { type: "", token: "", certSANs: [] },
);
