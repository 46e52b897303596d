/** The Talos minor from which a node knows a kind of document. An unknown kind makes it refuse the whole config. */
const introduced: Record<number, string> = {
  8: `EventSinkConfig ExtensionServiceConfig KmsgLogConfig KubeSpanEndpointsConfig NetworkDefaultActionConfig
    NetworkRuleConfig SideroLinkConfig TrustedRootsConfig VolumeConfig WatchdogTimerConfig`,
  10: "EthernetConfig PCIDriverRebindConfig UserVolumeConfig",
  11: "ExistingVolumeConfig RawVolumeConfig SwapVolumeConfig ZswapConfig",
  12: `BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig HCloudVIPConfig HostnameConfig Layer2VIPConfig
    LinkAliasConfig LinkConfig OOMConfig RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig ResolverConfig
    StaticHostConfig TimeSyncConfig VLANConfig WireguardConfig`,
  13: `BlackholeRouteConfig EnvironmentConfig ExternalVolumeConfig ImageVerificationConfig KubeSpanConfig
    RoutingRuleConfig TCPProbeConfig VRFConfig`,
  14: `BGPInstanceConfig ContainerConfig CRIBaseRuntimeSpecConfig CRICustomizationConfig DiscoveryIdentityConfig
    DiscoveryServiceConfig EtcFileConfig FilesystemScrubConfig FilesystemTrimConfig HTTPProbeConfig ImageCacheConfig
    KernelModuleConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig RAIDArrayConfig SecurityProfileConfig SysctlConfig
    SysfsConfig UdevRulesConfig UnattendedInstallConfig VethConfig KubeAPIServerCAConfig KubeAPIServerConfig
    KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig KubeAuthenticationConfig
    KubeAuthorizerConfig KubeClusterConfig KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig
    KubeEtcdEncryptionConfig KubeExternalManifestConfig KubeFlannelCNIConfig KubeInlineManifestConfig
    KubeNetworkConfig KubeNodeConfig KubePrismConfig KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig
    KubeStaticPodConfig KubeTalosAPIAccessConfig KubeletConfig`,
};

const minorByKind = new Map(
  Object.entries(introduced).flatMap(([minor, kinds]) =>
    kinds.split(/\s+/).map((kind) => [kind, Number(minor)] as const),
  ),
);

const newestListed = Math.max(...minorByKind.values());

/** Undefined when nodes of that minor know the kind, or may know it because they are newer than this list. */
export function kindProblem(kind: string, minor: number): string | undefined {
  const since = minorByKind.get(kind);
  if (since === undefined)
    return minor > newestListed ? undefined : `Talos 1.${minor} knows no such document`;
  return since > minor ? `Talos knows it from 1.${since} on, and the nodes run 1.${minor}` : undefined;
}

const controlPlaneKinds = new Set(
  `AdmissionControl AggregatorCA APIServer AuditPolicy Authentication Authorizer ControllerManager CoreDNS EtcdEncryption
  FlannelCNI Proxy Scheduler ServiceAccount TalosAPIAccess`
    .split(/\s+/)
    .map((name) => `Kube${name}Config`),
);

/** A worker refuses these. */
export const isControlPlaneKind = (kind: string): boolean => controlPlaneKinds.has(kind);
