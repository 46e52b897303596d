import { named, single } from "./heading.ts";
import {
  extraArgs,
  flag,
  free,
  list,
  part,
  replaced,
  struct,
  text,
  textMap,
  texts,
  url,
  type StructShape,
} from "./shape.ts";

const resources = part({ requests: free, limits: free });
const authority = single({ issuingCA: struct({ cert: text, key: text }), acceptedCAs: texts });
const replacedConfiguration = single({ configuration: replaced }, { configuration: {} });

/** The documents that hold Kubernetes from contract 1.14 on. */
export const kubernetesShapes: Record<string, StructShape> = {
  KubeClusterConfig: single({ clusterName: text, endpoint: url }, { clusterName: "", endpoint: "" }),
  KubeNodeConfig: single(
    {
      skipNodeRegistration: flag,
      registerWithFQDN: flag,
      nodeIP: struct({ validSubnets: texts }),
      labels: textMap,
      annotations: textMap,
      taints: textMap,
    },
    { nodeIP: {} },
  ),
  KubeletConfig: single(
    {
      image: text,
      config: free,
      extraArgs,
      clusterDNS: texts,
      defaultRuntimeSeccompProfileEnabled: flag,
    },
    { image: "", config: {} },
  ),
  KubeNetworkConfig: single(
    {
      dnsDomain: text,
      podSubnets: replaced,
      serviceSubnets: replaced,
      nodeCIDRMaskSizeIPv4: text,
      nodeCIDRMaskSizeIPv6: text,
    },
    { dnsDomain: "", podSubnets: [], serviceSubnets: [] },
  ),
  KubeAPIServerCAConfig: authority,
  KubeAggregatorCAConfig: authority,
  KubePrismConfig: single({ port: text, tlsServerName: text }, { port: 0 }),
  KubeAdmissionControlConfig: named({ configuration: free }, { configuration: {} }),
  KubeAuditPolicyConfig: replacedConfiguration,
  KubeAuthenticationConfig: replacedConfiguration,
  KubeCredentialProviderConfig: replacedConfiguration,
  KubeAuthorizerConfig: named({ type: text, webhook: free }, { type: "" }),
  KubeEtcdEncryptionConfig: single({ config: free }, { config: {} }),
  KubeServiceAccountConfig: single(
    {
      issuer: struct({ privateKey: text, issuerURL: url }, { privateKey: "", issuerURL: "" }),
      accepted: part({ publicKeys: texts, issuers: list(url), audiences: texts }),
    },
    { issuer: {} },
  ),
  KubeAPIServerConfig: single(
    {
      image: text,
      extraArgs,
      env: textMap,
      resources,
      apiPort: flag,
      certExtraSANs: texts,
      startupProbes: flag,
    },
    { image: "" },
  ),
  KubeControllerManagerConfig: single(
    { enabled: flag, image: text, extraArgs, env: textMap, resources },
    { image: "" },
  ),
  KubeSchedulerConfig: single(
    { enabled: flag, image: text, config: free, extraArgs, env: textMap, resources },
    { image: "", config: {} },
  ),
  KubeProxyConfig: single(
    { enabled: flag, image: text, mode: text, config: free, extraArgs, resources },
    { config: {} },
  ),
  KubeFlannelCNIConfig: single(
    {
      backendType: text,
      backendPort: text,
      backendMTU: text,
      backendExtraConfig: free,
      resources,
      extraArgs: texts,
      kubeNetworkPoliciesEnabled: flag,
    },
    { backendType: "" },
  ),
  KubeCoreDNSConfig: single({ enabled: flag, image: text }),
  KubeExternalManifestConfig: named({ headers: textMap, url }, { url: "" }),
  KubeInlineManifestConfig: named({ manifest: text }, { manifest: "" }),
  KubeStaticPodConfig: named({ pod: replaced }, { pod: {} }),
  KubeTalosAPIAccessConfig: single({ allowedRoles: texts, allowedKubernetesNamespaces: texts }),
};
