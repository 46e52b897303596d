import type { FieldChange } from "../../plan/index.ts";
import type { Role } from "../../spec/index.ts";

/** What a change of its config does to a node that runs, from nothing to the most. */
export type ConfigEffect = "none" | "services" | "static pods" | "reboot";

/** Taken without anything being started again, whatever they say. All else may stop what a node does. */
const harmless = [
  "machine.install",
  "machine.nodeLabels",
  "machine.nodeAnnotations",
  "machine.logging",
  "machine.registries",
  "cluster.inlineManifests",
  "cluster.extraManifests",
  "cluster.extraManifestHeaders",
  "cluster.adminKubeconfig",
  "KubeNodeConfig.labels",
  "KubeNodeConfig.annotations",
  "KubeInlineManifestConfig",
  "KubeExternalManifestConfig",
  "RegistryMirrorConfig",
  "RegistryAuthConfig",
  "RegistryTLSConfig",
];

/**
 * What API server, controller manager and scheduler are made from: their own sections, the networks and names of the
 * cluster, and all that their certificates and keys depend on. Workers have neither.
 */
const staticPodFields = [
  "cluster.apiServer",
  "cluster.controllerManager",
  "cluster.scheduler",
  "cluster.etcd",
  "cluster.network",
  "cluster.controlPlane",
  "cluster.clusterName",
  "cluster.externalCloudProvider",
  "cluster.ca",
  "cluster.acceptedCAs",
  "cluster.aggregatorCA",
  "cluster.serviceAccount",
  "cluster.secretboxEncryptionSecret",
  "cluster.aescbcEncryptionSecret",
  "KubeAPIServer",
  "KubeAdmissionControlConfig",
  "KubeAggregatorCAConfig",
  "KubeAuditPolicyConfig",
  "KubeAuthenticationConfig",
  "KubeAuthorizerConfig",
  "KubeClusterConfig",
  "KubeControllerManagerConfig",
  "KubeEtcdEncryptionConfig",
  "KubeNetworkConfig",
  "KubeSchedulerConfig",
  "KubeServiceAccountConfig",
];

const isAmong = (names: string[], field: string): boolean => names.some((name) => field.startsWith(name));

/** Of a change that the node takes without a reboot. */
export function hotEffect(role: Role, differences: FieldChange[]): ConfigEffect {
  const fields = differences.map(({ field }) => field);
  if (role === "control-plane" && fields.some((field) => isAmong(staticPodFields, field)))
    return "static pods";
  return fields.every((field) => isAmong(harmless, field)) ? "none" : "services";
}
