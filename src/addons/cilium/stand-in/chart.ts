import {
  account,
  documents,
  head,
  inVersions,
  joined,
  service,
  workload,
} from "../../../sim/charts/index.ts";

const agent = {
  "k8s-app": "cilium",
  "app.kubernetes.io/name": "cilium-agent",
  "app.kubernetes.io/part-of": "cilium",
};
const operator = {
  "io.cilium/app": "operator",
  name: "cilium-operator",
  "app.kubernetes.io/name": "cilium-operator",
  "app.kubernetes.io/part-of": "cilium",
};
const envoy = { "k8s-app": "cilium-envoy", "app.kubernetes.io/name": "cilium-envoy" };
const relay = { "k8s-app": "hubble-relay", "app.kubernetes.io/name": "hubble-relay" };
const ui = { "k8s-app": "hubble-ui", "app.kubernetes.io/name": "hubble-ui" };

const when = (place: string, text: string): string => `{{- if ${place} }}\n${text}\n{{- end }}`;

const config = joined(
  head("v1", "ConfigMap", "cilium-config"),
  "data:",
  "  cluster-name: {{ .Values.cluster.name | quote }}",
  '  cluster-id: "{{ .Values.cluster.id }}"',
  "  ipam: {{ .Values.ipam.mode | quote }}",
  "  kube-proxy-replacement: {{ .Values.kubeProxyReplacement | quote }}",
  "  cgroup-root: {{ .Values.cgroup.hostRoot | quote }}",
  "  enable-l2-announcements: {{ .Values.l2announcements.enabled | quote }}",
  "  enable-bgp-control-plane: {{ .Values.bgpControlPlane.enabled | quote }}",
  "  enable-gateway-api: {{ .Values.gatewayAPI.enabled | quote }}",
  "  enable-hubble: {{ .Values.hubble.enabled | quote }}",
  "  enable-host-legacy-routing: {{ .Values.bpf.hostLegacyRouting | default false | quote }}",
  "  {{- if .Values.k8sServiceHost }}",
  "  k8s-api-server: {{ .Values.k8sServiceHost }}:{{ .Values.k8sServicePort }}",
  "  {{- end }}",
);

const agentContainer = {
  name: "cilium-agent",
  image: "quay.io/cilium/cilium:v{{ .Chart.AppVersion }}",
  more: joined(
    "command: [cilium-agent]",
    "securityContext:\n  capabilities:\n    add:",
    "      {{- toYaml .Values.securityContext.capabilities.ciliumAgent | nindent 16 }}",
  ),
};

const cleaner = {
  name: "clean-cilium-state",
  image: "quay.io/cilium/cilium:v{{ .Chart.AppVersion }}",
  more: joined(
    "command: [/init-container.sh]",
    "securityContext:\n  capabilities:\n    add:",
    "      {{- toYaml .Values.securityContext.capabilities.cleanCiliumState | nindent 16 }}",
  ),
};

const values = {
  cluster: { name: "default", id: 0 },
  ipam: { mode: "cluster-pool" },
  kubeProxyReplacement: "false",
  k8sServiceHost: "",
  k8sServicePort: "",
  cgroup: { autoMount: { enabled: true }, hostRoot: "/run/cilium/cgroupv2" },
  securityContext: {
    capabilities: {
      ciliumAgent: ["CHOWN", "KILL", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "SYS_MODULE", "SYS_ADMIN", "SYSLOG"],
      cleanCiliumState: ["NET_ADMIN", "SYS_MODULE", "SYS_ADMIN", "SYS_RESOURCE"],
    },
  },
  bpf: { masquerade: false },
  operator: { replicas: 2, rollOutPods: false },
  rollOutCiliumPods: false,
  envoy: { enabled: true },
  l2announcements: { enabled: false },
  bgpControlPlane: { enabled: false },
  gatewayAPI: { enabled: false, gatewayClass: { create: "auto" } },
  hubble: { enabled: true, relay: { enabled: false }, ui: { enabled: false } },
};

/** Cilium's own definitions are not here: its operator makes them when it runs. */
export const cilium = inVersions(
  [
    ["1.20.1", "1.20.1"],
    ["1.19.7", "1.19.7"],
    ["1.18.13", "1.18.13"],
  ],
  {
    name: "cilium",
    description: "Stand-in for Cilium: agent, operator and their settings",
    kubeVersion: ">= 1.21.0-0",
    values,
    templates: {
      "cilium-config.yaml": config,
      "accounts.yaml": documents(account("cilium"), account("cilium-operator")),
      "cilium-agent.yaml": workload({
        kind: "DaemonSet",
        name: "cilium",
        labels: agent,
        selector: { "k8s-app": "cilium" },
        serviceAccount: "cilium",
        priority: "system-node-critical",
        isOnHostNetwork: true,
        toleratesAll: true,
        initContainers: [cleaner],
        containers: [agentContainer],
        hostPaths: { "cni-path": "/opt/cni/bin", "etc-cni-netd": "/etc/cni/net.d" },
      }),
      "cilium-operator.yaml": workload({
        kind: "Deployment",
        name: "cilium-operator",
        labels: operator,
        selector: { "io.cilium/app": "operator", name: "cilium-operator" },
        replicas: "{{ .Values.operator.replicas }}",
        serviceAccount: "cilium-operator",
        priority: "system-cluster-critical",
        isOnHostNetwork: true,
        toleratesAll: true,
        containers: [
          { name: "cilium-operator", image: "quay.io/cilium/operator-generic:v{{ .Chart.AppVersion }}" },
        ],
      }),
      "cilium-envoy.yaml": when(
        ".Values.envoy.enabled",
        workload({
          kind: "DaemonSet",
          name: "cilium-envoy",
          labels: envoy,
          selector: { "k8s-app": "cilium-envoy" },
          priority: "system-node-critical",
          isOnHostNetwork: true,
          toleratesAll: true,
          containers: [{ name: "cilium-envoy", image: "quay.io/cilium/cilium-envoy:v1.36" }],
        }),
      ),
      "hubble-relay.yaml": when(
        "and .Values.hubble.enabled .Values.hubble.relay.enabled",
        documents(
          workload({
            kind: "Deployment",
            name: "hubble-relay",
            labels: relay,
            replicas: "1",
            containers: [
              { name: "hubble-relay", image: "quay.io/cilium/hubble-relay:v{{ .Chart.AppVersion }}" },
            ],
          }),
          service("hubble-relay", { "k8s-app": "hubble-relay" }, 80, 4245),
        ),
      ),
      "hubble-ui.yaml": when(
        "and .Values.hubble.enabled .Values.hubble.ui.enabled",
        documents(
          workload({
            kind: "Deployment",
            name: "hubble-ui",
            labels: ui,
            replicas: "1",
            containers: [{ name: "frontend", image: "quay.io/cilium/hubble-ui:v0.13.3" }],
          }),
          service("hubble-ui", { "k8s-app": "hubble-ui" }, 80, 8081),
        ),
      ),
      "gateway-class.yaml": when(
        'and .Values.gatewayAPI.enabled (or (eq .Values.gatewayAPI.gatewayClass.create "true") (.Capabilities.APIVersions.Has "gateway.networking.k8s.io/v1/GatewayClass"))',
        joined(
          head("gateway.networking.k8s.io/v1", "GatewayClass", "cilium", { isClusterWide: true }),
          "spec:\n  controllerName: io.cilium/gateway-controller",
        ),
      ),
    },
    sources: [{ oci: "oci://quay.io/cilium/charts/cilium" }, { repo: "https://helm.cilium.io" }],
  },
);
