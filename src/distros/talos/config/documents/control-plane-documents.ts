import type { Bundle } from "../../../../secrets/index.ts";
import { auditPolicy, kubernetesImage, podSecurity } from "./cluster-section.ts";
import { configDocument, type MachineConfigDocument } from "../config-document.ts";
import { unlessEmpty } from "../config-values.ts";
import type { ClusterIntent, MachineIntent } from "../machine-intent.ts";

/** Kubernetes as only control planes run it, in the documents of contract 1.14. */
export function controlPlaneDocuments(intent: MachineIntent, bundle: Bundle): MachineConfigDocument[] {
  const { cluster } = intent;
  return [
    configDocument("KubeAggregatorCAConfig", { issuingCA: { ...bundle.aggregator } }),
    configDocument("KubeAdmissionControlConfig", { name: "PodSecurity", configuration: podSecurity }),
    configDocument("KubeAuditPolicyConfig", { configuration: auditPolicy }),
    configDocument("KubeAuthenticationConfig", { configuration: anonymousHealthChecks }),
    configDocument("KubeAuthorizerConfig", { name: "node", type: "Node" }),
    configDocument("KubeAuthorizerConfig", { name: "rbac", type: "RBAC" }),
    configDocument("KubeEtcdEncryptionConfig", { config: etcdEncryption(bundle) }),
    configDocument("KubeServiceAccountConfig", {
      issuer: { privateKey: bundle.serviceAccount.key, issuerURL: cluster.endpoint },
    }),
    configDocument("KubeAPIServerConfig", {
      image: kubernetesImage("kube-apiserver", cluster),
      apiPort: cluster.localApiServerPort,
      certExtraSANs: unlessEmpty(intent.certSANs),
    }),
    configDocument("KubeControllerManagerConfig", {
      image: kubernetesImage("kube-controller-manager", cluster),
    }),
    configDocument("KubeSchedulerConfig", { image: kubernetesImage("kube-scheduler", cluster), config: {} }),
    ...(cluster.isKubeProxyOff
      ? []
      : [configDocument("KubeProxyConfig", { image: kubernetesImage("kube-proxy", cluster), config: {} })]),
    ...(cluster.cni === undefined
      ? [configDocument("KubeFlannelCNIConfig", { backendType: "vxlan", backendPort: 4789 })]
      : []),
    configDocument("KubeCoreDNSConfig", { enabled: true }),
    ...manifestDocuments(cluster),
  ];
}

const anonymousHealthChecks = {
  anonymous: {
    conditions: ["/livez", "/readyz", "/healthz"].map((path) => ({ path })),
    enabled: true,
  },
  jwt: [],
};

/** The names of the keys are those that clusters of older contracts already encrypt with. */
function etcdEncryption(bundle: Bundle): MachineConfigDocument {
  const { secretboxEncryptionSecret: secretbox, aescbcEncryptionSecret: aescbc } = bundle;
  const provider = (kind: string, name: string, secret: string | undefined) =>
    secret === undefined ? [] : [{ [kind]: { keys: [{ name, secret }] } }];
  return {
    resources: [
      {
        providers: [...provider("secretbox", "key2", secretbox), ...provider("aescbc", "key1", aescbc)],
        resources: ["secrets"],
      },
    ],
  };
}

function manifestDocuments(cluster: ClusterIntent): MachineConfigDocument[] {
  const cniUrls = typeof cluster.cni === "object" ? cluster.cni.urls : [];
  return [
    ...externalManifests("custom-cni", cniUrls),
    ...externalManifests("extra-manifest", cluster.extraManifests ?? []),
    ...(cluster.inlineManifests ?? []).map(({ name, contents }) =>
      configDocument("KubeInlineManifestConfig", { name, manifest: contents }),
    ),
  ];
}

const externalManifests = (name: string, urls: string[]): MachineConfigDocument[] =>
  urls.map((url, index) =>
    configDocument("KubeExternalManifestConfig", { name: index === 0 ? name : `${name}-${index + 1}`, url }),
  );
