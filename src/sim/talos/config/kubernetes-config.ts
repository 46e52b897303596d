import { fieldsAt, ofKind, textAt, textFields, textsAt, valueAt, type Fields } from "./fields.ts";

/** What a node reads about Kubernetes from its machine config. */
export interface KubernetesConfig {
  kubeletVersion: string;
  apiServerVersion: string;
  controllerManagerVersion: string;
  schedulerVersion: string;
  proxyVersion: string;
  cni: string;
  hasProxy: boolean;
  hasCoreDns: boolean;
  schedulesOnControlPlanes: boolean;
  labels: Record<string, string>;
  podSubnet: string;
  serviceSubnet: string;
  dnsDomain: string;
  /** Nodes wait for a cloud controller. */
  hasExternalCloud: boolean;
  rotatesServingCertificate: boolean;
}

type Basics = Omit<KubernetesConfig, "hasExternalCloud" | "rotatesServingCertificate">;

/** Up to contract 1.13 everything stands in the main document, from 1.14 on in documents of its own. */
export function kubernetesConfig(main: Fields, others: Fields[]): KubernetesConfig {
  const basics = ofKind(others, "KubeClusterConfig").length === 0 ? fromMain(main) : fromDocuments(others);
  const kubelet = ofKind(others, "KubeletConfig")[0];
  const said = (name: string): string =>
    textOf(valueAt(main, "machine", "kubelet", "extraArgs", name)) ||
    textOf(valueAt(kubelet, "extraArgs", name));
  return {
    ...basics,
    hasExternalCloud:
      valueAt(main, "cluster", "externalCloudProvider", "enabled") === true ||
      said("cloud-provider") === "external",
    rotatesServingCertificate: said("rotate-server-certificates") === "true",
  };
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "boolean" ? String(value) : "";

function fromMain(main: Fields): Basics {
  const kubelet = imageVersion(textAt(main, "machine", "kubelet", "image"));
  return {
    kubeletVersion: kubelet,
    apiServerVersion: imageVersion(textAt(main, "cluster", "apiServer", "image")) || kubelet,
    controllerManagerVersion: imageVersion(textAt(main, "cluster", "controllerManager", "image")) || kubelet,
    schedulerVersion: imageVersion(textAt(main, "cluster", "scheduler", "image")) || kubelet,
    proxyVersion: imageVersion(textAt(main, "cluster", "proxy", "image")) || kubelet,
    cni: textAt(main, "cluster", "network", "cni", "name") || "flannel",
    hasProxy: valueAt(main, "cluster", "proxy", "disabled") !== true,
    hasCoreDns: valueAt(main, "cluster", "coreDNS", "disabled") !== true,
    schedulesOnControlPlanes: valueAt(main, "cluster", "allowSchedulingOnControlPlanes") === true,
    labels: textFields(fieldsAt(main, "machine", "nodeLabels")),
    ...networkOf(fieldsAt(main, "cluster", "network")),
  };
}

function fromDocuments(documents: Fields[]): Basics {
  const one = (kind: string): Fields | undefined => ofKind(documents, kind)[0];
  const isOn = (kind: string): boolean => one(kind) !== undefined && valueAt(one(kind), "enabled") !== false;
  const kubelet = imageVersion(textAt(one("KubeletConfig"), "image"));
  const isTainted = Object.keys(fieldsAt(one("KubeNodeConfig"), "taints")).length > 0;
  const hasExternalCni = ofKind(documents, "KubeExternalManifestConfig").length > 0;
  return {
    kubeletVersion: kubelet,
    apiServerVersion: imageVersion(textAt(one("KubeAPIServerConfig"), "image")) || kubelet,
    controllerManagerVersion: imageVersion(textAt(one("KubeControllerManagerConfig"), "image")) || kubelet,
    schedulerVersion: imageVersion(textAt(one("KubeSchedulerConfig"), "image")) || kubelet,
    proxyVersion: imageVersion(textAt(one("KubeProxyConfig"), "image")) || kubelet,
    cni: one("KubeFlannelCNIConfig") !== undefined ? "flannel" : hasExternalCni ? "custom" : "none",
    hasProxy: isOn("KubeProxyConfig"),
    hasCoreDns: isOn("KubeCoreDNSConfig"),
    schedulesOnControlPlanes: !isTainted,
    labels: textFields(fieldsAt(one("KubeNodeConfig"), "labels")),
    ...networkOf(fieldsAt(one("KubeNetworkConfig"))),
  };
}

const networkOf = (network: Fields) => ({
  podSubnet: textsAt(network, "podSubnets")[0] ?? "10.244.0.0/16",
  serviceSubnet: textsAt(network, "serviceSubnets")[0] ?? "10.96.0.0/12",
  dnsDomain: textAt(network, "dnsDomain") || "cluster.local",
});

/** The tag without `v`, digest and build suffix: `…/kubelet:v1.36.3@sha256:…` is 1.36.3. */
const imageVersion = (image: string): string => /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? "";
