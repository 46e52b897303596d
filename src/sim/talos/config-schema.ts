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
