import type { Manifest } from "../../clients/kube/index.ts";

/** What may differ between two installations. */
export interface ControllerWish {
  namespace: string;
  /** With its tag. */
  image: string;
  /** One leads, the others stand by. */
  replicas: number;
  /** Names of Secrets of the namespace, for a registry that wants to know who asks. */
  pullSecrets?: readonly string[];
  /** Environment of the controller: where traces go, proxies. */
  env?: readonly { name: string; value: string }[];
}

/** Of all that it is made of, and of the Lease that the leader holds. */
export const controllerName = "slipway-controller";
const name = controllerName;
const labels = { "app.kubernetes.io/name": "slipway", "app.kubernetes.io/component": "controller" };
/** Where `/metrics`, `/healthz` and `/readyz` are answered. */
export const probePort = 8080;
/** Of the image. */
const user = 65532;

/**
 * What the controller may do, and all of it in its own namespace. It is all that it uses: a test takes these rights away one
 * by one and sees it fail.
 */
export const controllerRules = [
  { apiGroups: ["slipway.dev"], resources: ["slipwayhosts", "slipwayrollouts"], verbs: ["list", "watch"] },
  // The finalizer is written to the object itself.
  { apiGroups: ["slipway.dev"], resources: ["slipwayclusters"], verbs: ["list", "watch", "patch"] },
  {
    apiGroups: ["slipway.dev"],
    resources: [
      "slipwayclusters/status",
      "slipwayhosts/status",
      "slipwayrollouts/status",
      "slipwayruns/status",
    ],
    verbs: ["patch"],
  },
  // The history of a cluster, which is bounded.
  { apiGroups: ["slipway.dev"], resources: ["slipwayruns"], verbs: ["list", "create", "delete"] },
  // Credentials of hosts are read; bundles, kubeconfigs and registrations of clusters are kept.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch", "delete"] },
  // Encrypted documents that come from git.
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "patch"] },
];

/** The controller without its kinds and its namespace, in the order it is made. */
export function controllerObjects(wish: ControllerWish): Manifest[] {
  const { namespace } = wish;
  const about = { name, namespace, labels };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: about },
    {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: about },
      rules: controllerRules,
    },
    {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: about },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
    {
      ...{ apiVersion: "v1", kind: "Service", metadata: about },
      spec: {
        selector: labels,
        ports: [{ name: "metrics", port: probePort, targetPort: "metrics", protocol: "TCP" }],
      },
    },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: about, spec: deploymentSpec(wish) },
  ];
}

function deploymentSpec({ image, replicas, pullSecrets = [], env = [] }: ControllerWish) {
  return {
    replicas,
    selector: { matchLabels: labels },
    // The leader finishes the step it is at before another one leads: none has to wait for a free place.
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((each) => ({ name: each })) }),
        // Long enough for a drain that is under way.
        terminationGracePeriodSeconds: 600,
        securityContext: {
          runAsNonRoot: true,
          ...{ runAsUser: user, runAsGroup: user, fsGroup: user },
          seccompProfile: { type: "RuntimeDefault" },
        },
        topologySpreadConstraints: [
          {
            ...{ maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
            labelSelector: { matchLabels: labels },
          },
        ],
        containers: [container(image, env)],
        // The root file system is read-only: what a run needs on disk is gone with the pod.
        volumes: writable.map(({ name: volume }) => ({ name: volume, emptyDir: {} })),
      },
    },
  };
}

const writable = [
  { name: "work", mountPath: "/work" },
  // Where helm is fetched to, and images on their way to libvirt.
  { name: "home", mountPath: "/home/slipway" },
  { name: "tmp", mountPath: "/tmp" },
];

const probe = (path: string, periodSeconds: number) => ({
  httpGet: { path, port: "metrics" },
  periodSeconds,
});

const container = (image: string, env: NonNullable<ControllerWish["env"]>) => ({
  name: "controller",
  image,
  args: ["controller"],
  ...(env.length > 0 && { env }),
  ports: [{ name: "metrics", containerPort: probePort, protocol: "TCP" }],
  livenessProbe: probe("/healthz", 20),
  readinessProbe: probe("/readyz", 5),
  resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  },
  volumeMounts: writable,
});
