import { writeYaml, type YamlValue } from "../../../lib/index.ts";

export const kubeVipVersion = "1.2.3";

const name = "kube-vip";
const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "slipway" };
const owner = { name, namespace: "kube-system" };

/**
 * The manifest that lets one of the servers answer at the VIP; another takes over within seconds. It leaves services of
 * type LoadBalancer to others.
 */
export const kubeVipManifest = ({ vip }: { vip: string }): string =>
  [account, role, binding, daemonSet(vip)].map((object) => writeYaml(object, 2)).join("---\n");

const account: YamlValue = { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...owner, labels } };

/** Enough to agree on who answers, and no more. */
const role: YamlValue = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { ...owner, labels },
  rules: [
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: ["get", "list", "watch", "create", "update", "patch"],
    },
  ],
};

const binding: YamlValue = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { ...owner, labels },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  subjects: [{ kind: "ServiceAccount", ...owner }],
};

const settings = (vip: string): Record<string, string> => ({
  vip_arp: "true",
  cp_enable: "true",
  cp_namespace: owner.namespace,
  svc_enable: "false",
  address: vip,
  port: "6443",
  vip_leaderelection: "true",
  vip_leaseduration: "5",
  vip_renewdeadline: "3",
  vip_retryperiod: "1",
  // Through the server's own API: the address of the service leads nowhere before kube-proxy or Cilium runs.
  KUBERNETES_SERVICE_HOST: "127.0.0.1",
  KUBERNETES_SERVICE_PORT: "6443",
});

const daemonSet = (vip: string): YamlValue => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { ...owner, labels },
  spec: {
    selector: { matchLabels: { "app.kubernetes.io/name": name } },
    updateStrategy: { type: "RollingUpdate" },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        hostNetwork: true,
        priorityClassName: "system-node-critical",
        nodeSelector: { "node-role.kubernetes.io/control-plane": "true" },
        tolerations: [{ operator: "Exists" }],
        containers: [
          {
            name,
            image: `ghcr.io/kube-vip/kube-vip:v${kubeVipVersion}`,
            args: ["manager"],
            env: [
              ...Object.entries(settings(vip)).map(([key, value]) => ({ name: key, value })),
              { name: "vip_nodename", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            ],
            resources: { requests: { cpu: "10m", memory: "32Mi" } },
            securityContext: { capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_RAW"] } },
          },
        ],
      },
    },
  },
});
