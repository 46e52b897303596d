import type { KubeObject } from "../../clients/kube/index.ts";

/** Programs that write to the world outside of their cluster, by a part of the name of their image. */
const outgoingImages: [part: RegExp, does: string][] = [
  [
    /(^|\/)(source|kustomize|helm|notification|image-automation|image-reflector)-controller$/,
    "Git and whom it notifies",
  ],
  [/(^|\/)(flux-operator|fleet-agent|fleet|gitjob)$/, "Git and whom it notifies"],
  [
    /(^|\/)argocd(-image-updater|-notifications)?$|(^|\/)argo-cd$|(^|\/)workflow-controller$/,
    "Git and whom it notifies",
  ],
  [/(^|\/)external-dns$|(^|\/)octodns$|(^|\/)ddns/, "DNS records"],
  [/(^|\/)cert-manager-(controller|webhook-[a-z-]+)$/, "certificates by ACME"],
  [/cloud-controller|cloud-provider|(^|\/)[a-z-]*ccm$/, "the cloud"],
  [/(^|\/)(rancher-agent|rancher|system-agent)$/, "the manager it is registered with"],
  [/(^|\/)(velero|k8up|stash|kopia|restic)$/, "backups"],
  [/(^|\/)(cloudflared|tailscale|k8s-operator|ngrok|frpc|inlets(-pro)?|cloudflare-operator)$/, "tunnels"],
  [
    /(^|\/)(crossplane|provider-[a-z-]+|terraform-controller|tf-controller|pulumi-kubernetes-operator)$/,
    "infrastructure",
  ],
  [/(^|\/)(cluster-autoscaler[a-z0-9-]*|karpenter|controller-manager-capi|cluster-api-[a-z-]+)$/, "machines"],
  [/(^|\/)(external-secrets|vault-secrets-operator)$/, "secret stores"],
  [
    /(^|\/)(alertmanager|argo-events|renovate|actions-runner-controller|gitlab-runner)$/,
    "messages and jobs of others",
  ],
  // Two clusters on one network would answer for the same addresses.
  [/(^|\/)(speaker|metallb-speaker|kube-vip|kube-vip-iptables|purelb|porter)$/, "addresses on the network"],
];

/** Kinds that keep pods running, and how each is made to stop. */
export const controllerKinds = [
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "apps/v1", kind: "DaemonSet" },
  { apiVersion: "batch/v1", kind: "CronJob" },
] as const;

/** An annotation that says what it was before; nothing has a label of this name, so a DaemonSet that wants it runs nowhere. */
export const quietMark = "slipway.dev/quieted";

interface Container {
  image?: string;
  env?: { value?: string }[];
}

interface Controller extends KubeObject {
  spec?: {
    replicas?: number;
    suspend?: boolean;
    template?: { spec?: { nodeSelector?: Record<string, string>; containers?: Container[] } };
  };
}

/**
 * What it is that a controller writes to; undefined for one that keeps to its own cluster, or runs no more. One that holds
 * `ownAddress`, which only this cluster has, fights nobody.
 */
export function outgoingTo(object: KubeObject, ownAddress?: string): string | undefined {
  const { kind, spec = {} } = object as Controller;
  // Nobody can tell what a job does, and dumps and reports go to where those of the original lie.
  if (kind === "CronJob") return spec.suspend === true ? undefined : "whatever its job does";
  if (kind === "DaemonSet" ? quietMark in (spec.template?.spec?.nodeSelector ?? {}) : spec.replicas === 0)
    return undefined;
  const containers = spec.template?.spec?.containers ?? [];
  if (
    ownAddress !== undefined &&
    containers.some(({ env }) => env?.some(({ value }) => value === ownAddress))
  )
    return undefined;
  const images = containers.map(({ image = "" }) => repositoryOf(image));
  return outgoingImages.find(([part]) => images.some((image) => part.test(image)))?.[1];
}

/** The merge patch that stops it, and notes how it was. */
export function quietPatch(object: KubeObject): Record<string, unknown> {
  const { kind, spec = {} } = object as Controller;
  const noted = (was: string) => ({ metadata: { annotations: { [quietMark]: was } } });
  if (kind === "CronJob") return { ...noted("suspend: false"), spec: { suspend: true } };
  if (kind !== "DaemonSet") return { ...noted(`replicas: ${spec.replicas ?? 1}`), spec: { replicas: 0 } };
  const template = { spec: { nodeSelector: { [quietMark]: "true" } } };
  return { ...noted("on every node"), spec: { template } };
}

/** Without registry port, tag and digest. */
const repositoryOf = (image: string): string => image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
