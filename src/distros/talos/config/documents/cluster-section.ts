import type { Bundle } from "../../../../secrets/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { base64, encodedAccepted, encodedIdentity, unlessEmpty } from "../config-values.ts";
import { writes, type Contract } from "../contract.ts";
import type { ClusterIntent, MachineIntent } from "../machine-intent.ts";

/** The part of the config that is the same on all nodes of a role. */
export function clusterSection(
  intent: MachineIntent,
  bundle: Bundle,
  contract: Contract,
): MachineConfigDocument {
  const { cluster } = intent;
  const isControlPlane = intent.role === "control-plane";
  const common = {
    id: bundle.clusterId,
    secret: bundle.clusterSecret,
    controlPlane: {
      endpoint: cluster.endpoint,
      localAPIServerPort: isControlPlane ? cluster.localApiServerPort : undefined,
    },
    clusterName: cluster.name,
    network: { cni: cniSection(cluster), ...defaultNetwork(cluster) },
    token: bundle.bootstrapToken,
  };
  const discovery = {
    enabled: cluster.hasDiscovery !== false,
    registries: { kubernetes: { disabled: true }, service: {} },
  };
  const { externalCloudProvider } = cluster;
  const cloud = externalCloudProvider && {
    externalCloudProvider: {
      enabled: true,
      manifests: isControlPlane ? unlessEmpty(externalCloudProvider.manifests) : undefined,
    },
  };
  const authorities = {
    ca: encodedIdentity(bundle.kubernetes, isControlPlane),
    acceptedCAs: encodedAccepted(bundle, "kubernetes"),
  };
  if (!isControlPlane) return { ...common, ...authorities, discovery, ...cloud };
  return {
    ...common,
    aescbcEncryptionSecret: bundle.aescbcEncryptionSecret,
    secretboxEncryptionSecret: bundle.secretboxEncryptionSecret,
    ...authorities,
    aggregatorCA: encodedIdentity(bundle.aggregator, true),
    serviceAccount: { key: base64(bundle.serviceAccount.key) },
    apiServer: apiServerSection(intent, contract),
    controllerManager: { image: kubernetesImage("kube-controller-manager", cluster) },
    proxy: {
      disabled: cluster.isKubeProxyOff ? true : undefined,
      image: kubernetesImage("kube-proxy", cluster),
    },
    scheduler: { image: kubernetesImage("kube-scheduler", cluster) },
    discovery,
    etcd: { ca: encodedIdentity(bundle.etcd, true), advertisedSubnets: unlessEmpty(intent.nodeSubnets) },
    ...cloud,
    extraManifests: unlessEmpty(cluster.extraManifests),
    inlineManifests: unlessEmpty(cluster.inlineManifests),
    allowSchedulingOnControlPlanes: cluster.isSchedulingOnControlPlanes ? true : undefined,
  };
}

function cniSection({ cni }: ClusterIntent): MachineConfigDocument | undefined {
  if (cni === undefined) return undefined;
  return cni === "none" ? { name: "none" } : { name: "custom", urls: cni.urls };
}

export const defaultNetwork = (cluster: ClusterIntent): MachineConfigDocument => ({
  dnsDomain: cluster.dnsDomain ?? "cluster.local",
  podSubnets: cluster.podSubnets ?? ["10.244.0.0/16"],
  serviceSubnets: cluster.serviceSubnets ?? ["10.96.0.0/12"],
});

function apiServerSection(intent: MachineIntent, contract: Contract): MachineConfigDocument {
  const isLocked = writes.lockedFeatures(contract);
  const endpointHost = new URL(intent.cluster.endpoint).hostname.replace(/^\[|\]$/g, "");
  return {
    image: kubernetesImage("kube-apiserver", intent.cluster),
    // From 1.12 the node adds the endpoint's host by itself.
    certSANs: unlessEmpty([...(isLocked ? [endpointHost] : []), ...(intent.certSANs ?? [])]),
    disablePodSecurityPolicy: isLocked ? true : undefined,
    admissionControl: [{ name: "PodSecurity", configuration: podSecurity }],
    auditPolicy,
  };
}

export const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata" }],
};

export const podSecurity = {
  apiVersion: "pod-security.admission.config.k8s.io/v1alpha1",
  defaults: {
    audit: "restricted",
    "audit-version": "latest",
    enforce: "baseline",
    "enforce-version": "latest",
    warn: "restricted",
    "warn-version": "latest",
  },
  exemptions: { namespaces: ["kube-system"], runtimeClasses: [], usernames: [] },
  kind: "PodSecurityConfiguration",
};

export const kubernetesImage = (name: string, cluster: ClusterIntent): string =>
  `registry.k8s.io/${name}:v${cluster.kubernetes}`;
