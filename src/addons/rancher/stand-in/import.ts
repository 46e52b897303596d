import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { digList, digText, type KubeStore, type Manifest } from "../../../sim/kube/index.ts";
import { checksumOf, settingOf } from "./settings.ts";
import { rancherNamespace, rancherVersion } from "./version.ts";

export const agentName = "cattle-cluster-agent";
const rbac = "rbac.authorization.k8s.io";
const namespace = rancherNamespace;

/** What is applied to a cluster to register it, as YAML. */
export const importManifest = (store: KubeStore, clusterName: string, token: string): string =>
  importObjects(store, clusterName, token)
    .map((object) => stringify(object))
    .join("---\n");

function importObjects(store: KubeStore, clusterName: string, token: string): Manifest[] {
  const url = settingOf(store, "server-url");
  const digest = createHash("sha256").update(`${url} ${token}`).digest("hex");
  const credentials = `cattle-credentials-${digest.slice(0, 10)}`;
  const everything = ["*"];
  return [
    clusterRole("proxy-clusterrole-kubeapiserver", [
      {
        apiGroups: [""],
        resources: ["nodes/metrics", "nodes/proxy", "nodes/stats", "nodes/log"],
        verbs: ["get", "list", "watch", "create"],
      },
    ]),
    binding("proxy-role-binding-kubernetes-master", "proxy-clusterrole-kubeapiserver", {
      apiGroup: rbac,
      kind: "User",
      name: "kube-apiserver",
    }),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "cattle", namespace } },
    binding("cattle-admin-binding", "cattle-admin", { kind: "ServiceAccount", name: "cattle", namespace }),
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: credentials, namespace },
      type: "Opaque",
      data: { url: base64(url), token: base64(token), namespace: "" },
    },
    clusterRole("cattle-admin", [
      { apiGroups: everything, resources: everything, verbs: everything },
      { nonResourceURLs: everything, verbs: everything },
    ]),
    agentDeployment(store, clusterName, { url, credentials }),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: agentName, namespace },
      spec: {
        ports: [
          { name: "http", port: 80, targetPort: 80, protocol: "TCP" },
          { name: "https-internal", port: 443, targetPort: 444, protocol: "TCP" },
        ],
        selector: { app: agentName },
      },
    },
  ];
}

function agentDeployment(
  store: KubeStore,
  clusterName: string,
  { url, credentials }: { url: string; credentials: string },
): Manifest {
  const version = rancherVersion(store);
  const cluster = store.find({ apiVersion: "management.cattle.io/v3", kind: "Cluster", name: clusterName });
  const variables = {
    CATTLE_IS_RKE: "false",
    CATTLE_SERVER: url,
    CATTLE_CA_CHECKSUM: checksumOf(settingOf(store, "cacerts")),
    CATTLE_CLUSTER: "true",
    CATTLE_K8S_MANAGED: "true",
    CATTLE_CREDENTIAL_NAME: credentials,
    CATTLE_SERVER_VERSION: version,
    CATTLE_INSTALL_UUID: settingOf(store, "install-uuid"),
    STRICT_VERIFY: String(settingOf(store, "agent-tls-mode") === "strict"),
  };
  const labels = { app: agentName };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: agentName, namespace, annotations: { "management.cattle.io/scale-available": "2" } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "cattle",
          tolerations: [
            { effect: "NoSchedule", key: "node-role.kubernetes.io/controlplane", value: "true" },
            { effect: "NoSchedule", key: "node-role.kubernetes.io/control-plane", operator: "Exists" },
            { effect: "NoSchedule", key: "node-role.kubernetes.io/master", operator: "Exists" },
          ],
          containers: [
            {
              name: "cluster-register",
              image: `rancher/rancher-agent:${version}`,
              imagePullPolicy: "IfNotPresent",
              env: [
                ...Object.entries(variables).map(([name, value]) => ({ name, value })),
                ...digList(cluster, "spec", "agentEnvVars"),
              ],
              volumeMounts: [
                { name: "cattle-credentials", mountPath: "/cattle-credentials", readOnly: true },
              ],
            },
          ],
          volumes: [{ name: "cattle-credentials", secret: { secretName: credentials, defaultMode: 320 } }],
        },
      },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    },
  };
}

const clusterRole = (name: string, rules: unknown[]): Manifest => ({
  apiVersion: `${rbac}/v1`,
  kind: "ClusterRole",
  metadata: { name, labels: { "cattle.io/creator": "norman" } },
  rules,
});

const binding = (name: string, role: string, subject: Record<string, string>): Manifest => ({
  apiVersion: `${rbac}/v1`,
  kind: "ClusterRoleBinding",
  metadata: { name, labels: { "cattle.io/creator": "norman" } },
  roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
  subjects: [subject],
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What of a cluster's own belongs to Rancher and not to any namespace: kind and name. */
export const importedRoles: [kind: string, name: string][] = [
  ["ClusterRoleBinding", "proxy-role-binding-kubernetes-master"],
  ["ClusterRoleBinding", "cattle-admin-binding"],
  ["ClusterRole", "proxy-clusterrole-kubeapiserver"],
  ["ClusterRole", "cattle-admin"],
];

/** The variables of a container whose values are written out. */
export const variablesIn = (container: unknown): Record<string, string> =>
  Object.fromEntries(
    digList(container, "env").map((item) => [digText(item, "name"), digText(item, "value")]),
  );
