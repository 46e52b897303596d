import { systemFacts, type Cluster } from "../../spec/index.ts";
import type { CiliumOptions } from "./options.ts";

/** What the agent may do. Cilium asks for SYS_MODULE and SYSLOG as well, which a sealed system gives to nobody. */
const agentCapabilities = [
  "CHOWN",
  "KILL",
  "NET_ADMIN",
  "NET_RAW",
  "IPC_LOCK",
  "SYS_ADMIN",
  "SYS_RESOURCE",
  "DAC_OVERRIDE",
  "FOWNER",
  "SETGID",
  "SETUID",
];

/** A sealed system mounts and restricts what others leave to Cilium. */
const onSealed = {
  cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
  securityContext: {
    capabilities: {
      ciliumAgent: agentCapabilities,
      cleanCiliumState: ["NET_ADMIN", "SYS_ADMIN", "SYS_RESOURCE"],
    },
  },
  // Pods ask the host for names; routing inside of eBPF would not bring them there.
  bpf: { hostLegacyRouting: true },
};

export function ciliumValues(options: CiliumOptions, cluster: Cluster): Record<string, unknown> {
  const { announce } = options;
  const { localApi, isSealed } = systemFacts(cluster);
  return {
    cluster: { name: cluster.name },
    // Every node is given its part of the pods' network; the chart's own choice is all of 10.0.0.0/8.
    ipam: { mode: "kubernetes" },
    kubeProxyReplacement: options.kubeProxyReplacement,
    // Without kube-proxy the API has no other address before Cilium works.
    ...(localApi && { k8sServiceHost: localApi.host, k8sServicePort: localApi.port }),
    ...(isSealed && onSealed),
    rollOutCiliumPods: true,
    // Two are kept on different nodes: on a single one the second would wait for ever.
    operator: { replicas: Math.min(2, cluster.nodes.length), rollOutPods: true },
    hubble: hubbleValues(options.hubble),
    ...(announce.kind === "l2" && {
      l2announcements: { enabled: true },
      // Every service renews a lease.
      k8sClientRateLimit: { qps: 50, burst: 100 },
    }),
    ...(announce.kind === "bgp" && { bgpControlPlane: { enabled: true } }),
    ...(options.gatewayApi && {
      // Whether there is a class is decided while rendering, when no API may be there to ask.
      gatewayAPI: { enabled: true, gatewayClass: { create: "true" } },
    }),
    ...(options.bandwidthManager && { bandwidthManager: { enabled: true } }),
    ...(options.devices.length > 0 && { devices: options.devices }),
  };
}

/** Certificates that helm makes differ at every render and end after a year; a job renews them instead. */
const hubbleValues = (hubble: CiliumOptions["hubble"]): Record<string, unknown> =>
  hubble === "off"
    ? { enabled: false }
    : {
        enabled: true,
        relay: { enabled: true },
        ui: { enabled: hubble === "ui" },
        tls: { auto: { enabled: true, method: "cronJob" } },
      };
