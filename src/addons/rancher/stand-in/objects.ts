import { definitionOf, type Manifest, workloadOf } from "../../../sim/kube/index.ts";
import { rancherNamespace } from "./version.ts";

const management = (kind: string, plural: string, scope: "Namespaced" | "Cluster"): Manifest =>
  definitionOf("management.cattle.io", "v3", kind, plural, scope);

/** The kinds Rancher brings along that anybody asks for. */
export const rancherKinds: Manifest[] = [
  management("Setting", "settings", "Cluster"),
  management("Feature", "features", "Cluster"),
  management("Cluster", "clusters", "Cluster"),
  management("ClusterRegistrationToken", "clusterregistrationtokens", "Namespaced"),
  management("Project", "projects", "Namespaced"),
  management("Token", "tokens", "Cluster"),
  management("User", "users", "Cluster"),
  definitionOf("provisioning.cattle.io", "v1", "Cluster", "clusters", "Namespaced"),
  definitionOf("fleet.cattle.io", "v1alpha1", "Cluster", "clusters", "Namespaced"),
  definitionOf("fleet.cattle.io", "v1alpha1", "Bundle", "bundles", "Namespaced"),
];

const fleetNamespace = "cattle-fleet-system";

export const namespaceOf = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

export const rancherNamespaces: Manifest[] = [
  "fleet-default",
  "fleet-local",
  fleetNamespace,
  "cattle-impersonation-system",
].map(namespaceOf);

export const webhookConfiguration = "rancher.cattle.io";

function webhookProgram(): Manifest[] {
  const name = "rancher-webhook";
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: rancherNamespace },
      spec: { selector: { app: name }, ports: [{ name: "https", port: 443, targetPort: 9443 }] },
    },
    workloadOf("Deployment", { name, namespace: rancherNamespace }, "rancher/rancher-webhook:v0.11.2"),
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: webhookConfiguration },
      webhooks: [
        webhook("rancher.cattle.io.clusters.management.cattle.io", "management.cattle.io", "v3", "clusters"),
        webhook("rancher.cattle.io.settings.management.cattle.io", "management.cattle.io", "v3", "settings"),
        webhook(
          "rancher.cattle.io.clusters.provisioning.cattle.io",
          "provisioning.cattle.io",
          "v1",
          "clusters",
        ),
        webhook("rancher.cattle.io.namespaces", "", "v1", "namespaces"),
      ],
    },
  ];
}

const webhook = (name: string, group: string, version: string, resource: string) => ({
  name,
  admissionReviewVersions: ["v1", "v1beta1"],
  sideEffects: "NoneOnDryRun",
  failurePolicy: "Fail",
  timeoutSeconds: 10,
  rules: [
    { apiGroups: [group], apiVersions: [version], operations: ["CREATE", "UPDATE"], resources: [resource] },
  ],
  clientConfig: {
    service: {
      name: "rancher-webhook",
      namespace: rancherNamespace,
      port: 443,
      path: `/v1/webhook/validation/${group === "" ? resource : `${resource}.${group}`}`,
    },
  },
});

/** The programs Rancher installs on its own cluster by itself. */
export const rancherPrograms: Manifest[] = [
  ...webhookProgram(),
  workloadOf("Deployment", { name: "fleet-controller", namespace: fleetNamespace }, "rancher/fleet:v0.15.2"),
];

/** What a cluster gets once its agent has connected. */
export const downstreamParts: Manifest[] = [
  namespaceOf(fleetNamespace),
  namespaceOf("cattle-impersonation-system"),
  ...webhookProgram(),
  workloadOf("Deployment", { name: "fleet-agent", namespace: fleetNamespace }, "rancher/fleet-agent:v0.15.2"),
];
