import type { MachineConfigDocument } from "./config-document.ts";
import { isMap } from "./patch/merge.ts";
import { isMainDocument } from "./shapes/document-shapes.ts";

/** Fields of the large document that may not stand beside the document, or the part of one, that replaced them. */
const replacedBy: Record<string, string> = {
  HostnameConfig: "machine.network.hostname machine.features.stableHostname",
  ResolverConfig: `machine.network.nameservers machine.network.searchDomains machine.network.disableSearchDomain`,
  "ResolverConfig.hostDNS": "machine.features.hostDNS",
  TimeSyncConfig: "machine.time",
  KubeSpanConfig: "machine.network.kubespan",
  ImageCacheConfig: "machine.features.imageCache",
  CRIBaseRuntimeSpecConfig: "machine.baseRuntimeSpecOverrides",
  UnattendedInstallConfig: "machine.install",
  DiscoveryServiceConfig: "cluster.discovery",
  DiscoveryIdentityConfig: "cluster.id cluster.secret",
  KubeletConfig: "machine.kubelet",
  KubeCredentialProviderConfig: "machine.kubelet",
  KubeNodeConfig: `machine.nodeLabels machine.nodeAnnotations machine.nodeTaints
    cluster.allowSchedulingOnControlPlanes machine.kubelet.nodeIP machine.kubelet.registerWithFQDN
    machine.kubelet.skipNodeRegistration`,
  KubeClusterConfig: "cluster.clusterName cluster.controlPlane.endpoint",
  KubeNetworkConfig: "cluster.network",
  KubeFlannelCNIConfig: "cluster.network.cni cluster.network",
  KubePrismConfig: "machine.features.kubePrism",
  KubeTalosAPIAccessConfig: "machine.features.kubernetesTalosAPIAccess",
  KubeAPIServerConfig: "cluster.apiServer cluster.controlPlane.localAPIServerPort",
  KubeControllerManagerConfig: "cluster.controllerManager machine.controlPlane.controllerManager",
  KubeSchedulerConfig: "cluster.scheduler machine.controlPlane.scheduler",
  KubeProxyConfig: "cluster.proxy",
  KubeCoreDNSConfig: "cluster.coreDNS",
  KubeAPIServerCAConfig: "cluster.ca",
  KubeAggregatorCAConfig: "cluster.aggregatorCA",
  KubeServiceAccountConfig: "cluster.serviceAccount",
  KubeEtcdEncryptionConfig: "cluster.secretboxEncryptionSecret cluster.aescbcEncryptionSecret",
};

export interface Contradiction {
  /** Of the field in the large document. */
  path: string;
  /** The document that replaced it. */
  kind: string;
}

/** All fields of a config that stand beside the document that replaced them, the most exact first. */
export function findContradictions(documents: readonly MachineConfigDocument[]): Contradiction[] {
  const main = documents.find(isMainDocument);
  if (!main) return [];
  const kinds = new Set(documents.map(({ kind }) => kind));
  return Object.entries(replacedBy)
    .filter(([newer]) => kinds.has(kindOf(newer)) && documents.some((document) => isAbout(document, newer)))
    .flatMap(([newer, paths]) => paths.split(/\s+/).map((path) => ({ path, kind: kindOf(newer) })))
    .filter(({ path }) => hasField(main, path))
    .toSorted((a, b) => b.path.split(".").length - a.path.split(".").length);
}

const kindOf = (newer: string): string => newer.split(".")[0] ?? newer;

function isAbout(document: MachineConfigDocument, newer: string): boolean {
  const [kind, field] = newer.split(".");
  return document["kind"] === kind && (field === undefined || document[field] !== undefined);
}

export function hasField(document: MachineConfigDocument, path: string): boolean {
  let current: MachineConfigDocument[string] = document;
  for (const key of path.split(".")) {
    if (!isMap(current) || current[key] === undefined || current[key] === null) return false;
    current = current[key];
  }
  return true;
}
