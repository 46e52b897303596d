import type { Component } from "../../config/index.ts";

/** What a minor version of Kubernetes does not have any more. */
export interface Removal {
  /** Kinds without a successor that would read what is stored: objects of them are lost. */
  kinds?: { apiVersion: string; kind: string }[];
  gates?: string[];
  flags?: Partial<Record<Component, string[]>>;
}

/**
 * By the minor that came without it, as a public table of them tells, not each held against its release notes. A part that is started with a flag or gate it does not know
 * does not start. APIs whose objects are served by a newer version of the same kind are none of it: flowcontrol v1beta3,
 * which 1.32 left out, was the last of these.
 */
export const removals: Readonly<Record<number, Removal>> = {
  30: {
    gates: [
      "ExpandedDNSConfig",
      "ExperimentalHostUserNamespaceDefaultingGate",
      "IPTablesOwnershipCleanup",
      "KubeletPodResources",
      "KubeletPodResourcesGetAllocatable",
      "MinimizeIPTablesRestore",
      "ProxyTerminatingEndpoints",
      "RemoveSelfLink",
    ],
  },
  31: {
    gates: [
      "APIPriorityAndFairness",
      "CSINodeExpandSecret",
      "ConsistentHTTPGetHandlers",
      "DefaultHostNetworkHostPortsInPodTemplates",
      "ServiceNodePortStaticSubrange",
      "SkipReadOnlyValidationGCE",
    ],
    flags: {
      kubelet: ["iptables-drop-bit", "iptables-masquerade-bit", "keep-terminated-pod-volumes"],
      "kube-controller-manager": [
        "horizontal-pod-autoscaler-downscale-delay",
        "horizontal-pod-autoscaler-upscale-delay",
        "volume-host-allow-local-loopback",
        "volume-host-cidr-denylist",
      ],
    },
  },
  32: {
    kinds: [{ apiVersion: "resource.k8s.io/v1alpha3", kind: "PodSchedulingContext" }],
    gates: [
      "AllowServiceLBStatusOnNonLB",
      "CloudDualStackNodeIPs",
      "DRAControlPlaneController",
      "HPAContainerMetrics",
      "KMSv2",
      "KMSv2KDF",
      "LegacyServiceAccountTokenCleanUp",
      "MinDomainsInPodTopologySpread",
      "NewVolumeManagerReconstruction",
      "NodeOutOfServiceVolumeDetach",
      "ServerSideApply",
      "ServerSideFieldValidation",
      "StableLoadBalancerNodeSet",
      "ValidatingAdmissionPolicy",
      "ZeroLimitedNominalConcurrencyShares",
    ],
  },
  33: {
    gates: [
      "AppArmor",
      "AppArmorFields",
      "CPUManager",
      "DisableCloudProviders",
      "DisableKubeletCloudCredentialProviders",
      "JobPodFailurePolicy",
      "KubeProxyDrainingTerminatingNodes",
      "PDBUnhealthyPodEvictionPolicy",
      "PersistentVolumeLastPhaseTransitionTime",
      "VolumeCapacityPriority",
    ],
    flags: { "kube-apiserver": ["cloud-config"] },
  },
  34: {
    gates: ["DevicePluginCDIDevices", "LegacySidecarContainers", "PodDisruptionConditions"],
    flags: { kubelet: ["cloud-config"] },
  },
  35: {
    gates: ["SizeMemoryBackedVolumes", "UserNamespacesHostNetworkSupport"],
    flags: { kubelet: ["pod-infra-container-image"] },
  },
  36: {
    // v1alpha2 took the place of v1alpha1 and reads none of its objects.
    kinds: [{ apiVersion: "scheduling.k8s.io/v1alpha1", kind: "Workload" }],
    gates: [
      "CSIMigrationPortworx",
      "InTreePluginPortworxUnregister",
      "WatchFromStorageWithoutResourceVersion",
    ],
  },
  37: {
    kinds: [
      { apiVersion: "scheduling.k8s.io/v1alpha2", kind: "Workload" },
      { apiVersion: "scheduling.k8s.io/v1alpha2", kind: "PodGroup" },
    ],
    gates: [
      "AnyVolumeDataSource",
      "DeclarativeValidationTakeover",
      "GangScheduling",
      "PreventStaticPodAPIReferences",
      "WorkloadAwarePreemption",
    ],
  },
};
