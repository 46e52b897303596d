import type { MachineRole } from "../machine-intent.ts";
import type { FieldChange } from "./compare-configs.ts";
import { areHot } from "./hot-fields.ts";

/** What a change of its config does to a node that runs, from nothing to the most. */
export type ConfigEffect = "none" | "services" | "static pods" | "reboot";

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

/** Of a change that the node takes without a reboot. */
export function hotEffect(role: MachineRole, differences: FieldChange[]): ConfigEffect {
  const fields = differences.map(({ field }) => field);
  if (
    role === "control-plane" &&
    fields.some((field) => staticPodFields.some((name) => field.startsWith(name)))
  )
    return "static pods";
  return areHot(differences) ? "none" : "services";
}

/** Fields that the kubelet's own trust and certificates come from; it starts again for them, on workers too. */
const kubeletTrustFields = ["cluster.ca", "cluster.acceptedCAs", "KubeAPIServerCAConfig"];

export const restartsKubelet = (differences: FieldChange[]): boolean =>
  differences.some(({ field }) => kubeletTrustFields.some((name) => field.startsWith(name)));
