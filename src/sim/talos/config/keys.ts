import { isFields, valueAt, type Fields } from "./fields.ts";

/** Keys by the section of the main document they stand in; `[]` stands for each item of a list. `key@12`: from 1.12 on. */
const mainKeys: Record<string, string> = {
  "": "version debug persist machine cluster",
  machine:
    "type token ca acceptedCAs certSANs controlPlane kubelet pods network disks install files env time sysctls sysfs registries systemDiskEncryption features udev logging kernel seccompProfiles baseRuntimeSpecOverrides@9 nodeLabels nodeAnnotations nodeTaints",
  "machine.ca": "crt key",
  "machine.kubelet":
    "image clusterDNS extraArgs extraMounts extraConfig credentialProviderConfig defaultRuntimeSeccompProfileEnabled registerWithFQDN nodeIP skipNodeRegistration disableManifestsDirectory",
  "machine.kubelet.nodeIP": "validSubnets",
  "machine.network":
    "hostname interfaces nameservers searchDomains@9 extraHostEntries kubespan disableSearchDomain",
  "machine.network.interfaces[]":
    "interface deviceSelector addresses cidr routes bond bridge bridgePort@9 vlans mtu dhcp ignore dummy dhcpOptions wireguard vip",
  "machine.network.interfaces[].deviceSelector": "busPath hardwareAddr permanentAddr@9 pciID driver physical",
  "machine.network.interfaces[].routes[]": "network gateway source metric mtu",
  "machine.install":
    "disk diskSelector extraKernelArgs image extensions bootloader wipe legacyBIOSSupport grubUseUKICmdline@12",
  "machine.files[]": "content permissions path op",
  "machine.time": "disabled servers bootTimeout",
  "machine.registries": "mirrors config",
  "machine.systemDiskEncryption": "state ephemeral",
  "machine.features":
    "rbac stableHostname kubernetesTalosAPIAccess apidCheckExtKeyUsage diskQuotaSupport kubePrism hostDNS imageCache@9 nodeAddressSortAlgorithm@9",
  "machine.features.kubePrism": "enabled port",
  "machine.features.hostDNS": "enabled forwardKubeDNSToHost resolveMemberNames",
  "machine.logging.destinations[]": "endpoint format extraTags",
  "machine.kernel.modules[]": "name parameters",
  cluster:
    "id secret controlPlane clusterName network token aescbcEncryptionSecret secretboxEncryptionSecret ca acceptedCAs aggregatorCA serviceAccount apiServer controllerManager proxy scheduler discovery etcd coreDNS externalCloudProvider extraManifests extraManifestHeaders inlineManifests adminKubeconfig allowSchedulingOnMasters allowSchedulingOnControlPlanes",
  "cluster.controlPlane": "endpoint localAPIServerPort",
  "cluster.network": "cni dnsDomain podSubnets serviceSubnets",
  "cluster.network.cni": "name urls flannel",
  "cluster.apiServer":
    "image extraArgs extraVolumes env certSANs disablePodSecurityPolicy admissionControl auditPolicy resources authorizationConfig@9",
  "cluster.controllerManager": "image extraArgs extraVolumes env resources",
  "cluster.proxy": "disabled image mode extraArgs",
  "cluster.scheduler": "image extraArgs extraVolumes env resources config",
  "cluster.discovery": "enabled registries",
  "cluster.etcd": "image ca extraArgs subnet advertisedSubnets listenSubnets",
  "cluster.coreDNS": "disabled image",
  "cluster.externalCloudProvider": "enabled manifests",
  "cluster.inlineManifests[]": "name contents",
};

/** Keys of the documents a deployer writes most; kinds that are not here may hold anything. */
const documentKeys: Record<string, string> = {
  HostnameConfig: "auto hostname",
  Layer2VIPConfig: "name link",
  LinkConfig: "name up mtu addresses routes multicast",
  LinkAliasConfig: "name selector",
  DHCPv4Config: "name routeMetric ignoreHostname ignoreRoutes@14 clientIdentifier duidRaw",
  DHCPv6Config: "name routeMetric ignoreHostname clientIdentifier duidRaw",
  ResolverConfig: "nameservers searchDomains hostDNS@14",
  StaticHostConfig: "name hostnames",
  TimeSyncConfig: "enabled bootTimeout ntp ptp",
  VLANConfig: "name vlanID vlanMode parent up mtu addresses routes multicast",
  RegistryMirrorConfig: "name endpoints skipFallback",
  RegistryAuthConfig: "name username password auth identityToken",
  RegistryTLSConfig: "name clientIdentity ca insecureSkipVerify",
  VolumeConfig: "name provisioning filesystem@14 encryption@11 mount@13 trim@14 scrub@14",
  UserVolumeConfig: "name volumeType@12 provisioning filesystem encryption mount@13 trim@14 scrub@14",
  KubeSpanConfig: "enabled advertiseKubernetesNetworks allowDownPeerBypass harvestExtraEndpoints mtu filters",
  KubeNodeConfig: "skipNodeRegistration registerWithFQDN nodeIP labels annotations taints",
  KubeletConfig: "image config extraArgs clusterDNS defaultRuntimeSeccompProfileEnabled",
  KubeClusterConfig: "clusterName endpoint",
  UnattendedInstallConfig: "reboot installer provisioning",
  DiscoveryIdentityConfig: "clusterID clusterSecret",
  SecurityProfileConfig: "workloadIsolation",
};

/** Which document kinds a node of each Talos minor knows. What it does not know it refuses. */
const kindsByMinor: [minor: number, kinds: string][] = [
  [
    8,
    "EventSinkConfig ExtensionServiceConfig KmsgLogConfig KubeSpanEndpointsConfig NetworkDefaultActionConfig NetworkRuleConfig SideroLinkConfig TrustedRootsConfig VolumeConfig WatchdogTimerConfig",
  ],
  [10, "EthernetConfig PCIDriverRebindConfig UserVolumeConfig"],
  [11, "ExistingVolumeConfig RawVolumeConfig SwapVolumeConfig ZswapConfig"],
  [
    12,
    "BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig HCloudVIPConfig HostnameConfig Layer2VIPConfig LinkAliasConfig LinkConfig OOMConfig RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig ResolverConfig StaticHostConfig TimeSyncConfig VLANConfig WireguardConfig",
  ],
  [
    13,
    "BlackholeRouteConfig EnvironmentConfig ExternalVolumeConfig ImageVerificationConfig KubeSpanConfig RoutingRuleConfig TCPProbeConfig VRFConfig",
  ],
  [
    14,
    "BGPInstanceConfig ContainerConfig CRIBaseRuntimeSpecConfig CRICustomizationConfig DiscoveryIdentityConfig DiscoveryServiceConfig EtcFileConfig FilesystemScrubConfig FilesystemTrimConfig HTTPProbeConfig ImageCacheConfig KernelModuleConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig SecurityProfileConfig SysctlConfig SysfsConfig UdevRulesConfig UnattendedInstallConfig VethConfig",
  ],
  [
    14,
    "KubeAPIServerCAConfig KubeAPIServerConfig KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig KubeClusterConfig KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig KubeEtcdEncryptionConfig KubeExternalManifestConfig KubeFlannelCNIConfig KubeInlineManifestConfig KubeNetworkConfig KubeNodeConfig KubePrismConfig KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig KubeStaticPodConfig KubeTalosAPIAccessConfig KubeletConfig",
  ],
];

/** Kinds a node of Talos 1.`minor` accepts. */
export const knownKinds = (minor: number): Set<string> =>
  new Set(kindsByMinor.filter(([since]) => since <= minor).flatMap(([, kinds]) => kinds.split(" ")));

/** Where a key stands: the keys that lead to it, numbers in lists. */
export type KeyPath = (string | number)[];

/** The keys of the main document that a node of Talos 1.`minor` does not know. */
export const unknownMainKeys = (main: Fields, minor: number): KeyPath[] =>
  Object.entries(mainKeys).flatMap(([section, keys]) =>
    sectionsAt(main, section).flatMap(({ at, fields }) =>
      unknownIn(fields, keys, minor).map((key) => [...at, key]),
    ),
  );

export function unknownDocumentKeys(document: Fields, minor: number): string[] {
  const keys = documentKeys[String(document["kind"])];
  return keys === undefined ? [] : unknownIn(document, `apiVersion kind ${keys}`, minor);
}

function unknownIn(fields: Fields, keys: string, minor: number): string[] {
  const known = new Set(
    keys
      .split(" ")
      .map((key) => key.split("@"))
      .filter(([, since = "0"]) => Number(since) <= minor)
      .map(([key]) => key),
  );
  return Object.keys(fields).filter((key) => !known.has(key));
}

interface Section {
  at: KeyPath;
  fields: Fields;
}

/** All places a section's path leads to. */
function sectionsAt(main: Fields, section: string): Section[] {
  if (section === "") return [{ at: [], fields: main }];
  let found: { at: KeyPath; value: unknown }[] = [{ at: [], value: main }];
  for (const step of section.split(".")) {
    const key = step.replace("[]", "");
    found = found.flatMap(({ at, value }) => {
      const inner = valueAt(value, key);
      const path = [...at, key];
      if (!step.endsWith("[]")) return [{ at: path, value: inner }];
      return Array.isArray(inner) ? inner.map((item, index) => ({ at: [...path, index], value: item })) : [];
    });
  }
  return found.flatMap(({ at, value }) => (isFields(value) ? [{ at, fields: value }] : []));
}
