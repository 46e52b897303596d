import type { KubeObject, Manifest } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import {
  type AddonInstallation,
  type AddonPart,
  kindKnown,
  namespacePart,
  notYet,
  releasePart,
  secretObject,
  type SecretPlace,
} from "../common/index.ts";
import type { ArgocdOptions } from "./options.ts";

/** Its manifests have this namespace baked in. */
const namespace = "argocd";
const name = "argocd";
const apiVersion = "argoproj.io/v1alpha1";

/** Keeps applications as Git repositories say. */
export const installation: AddonInstallation<ArgocdOptions> = {
  parts: ({ addon, version }) => [
    namespacePart(namespace),
    releasePart(addon, {
      name,
      namespace,
      chart: { oci: "oci://ghcr.io/argoproj/argo-helm/argo-cd" },
      version,
      values: { fullnameOverride: name, crds: { install: true, keep: true } },
      secrets: trustSecrets(addon.options),
    }),
    ...rootParts(addon.options),
  ],

  readiness: () => ({
    workloads: [
      { kind: "StatefulSet", namespace, name: `${name}-application-controller` },
      ...["applicationset-controller", "redis", "repo-server", "server"].map((part) => ({
        kind: "Deployment" as const,
        namespace,
        name: `${name}-${part}`,
      })),
    ],
  }),

  async prove(kube, { addon }, { signal }) {
    const { repository, application } = addon.options;
    if (!repository) return { done: true, value: "it runs; no root application is asked for" };
    const root = await kube.get<Application>(
      { apiVersion, kind: "Application", name: application, namespace },
      signal,
    );
    const { sync, health, conditions = [], operationState } = root?.status ?? {};
    const seen = `${sync?.status ?? "not compared"}, ${health?.status ?? "health unknown"}`;
    if (sync?.status === "Synced" && health?.status === "Healthy")
      return { done: true, value: `application ${application} is ${seen}` };
    const why = conditions[0]?.message ?? operationState?.message ?? health?.message;
    return notYet(`application ${application}: ${seen}${why === undefined ? "" : `: ${why}`}`);
  },

  /** Otherwise applications would wait for a controller that is gone, or take along what they brought. */
  async beforeRemoval(kube, signal) {
    const { items } = await kube
      .list({ apiVersion, kind: "Application", namespace }, signal)
      .catch(noneKnown);
    const change = async (patch: unknown) => {
      for (const { metadata } of items)
        await kube.patch({ apiVersion, kind: "Application", namespace, name: metadata.name }, patch, {
          signal,
        });
    };
    // All of them first: what is synced meanwhile could bring the finalizers back.
    await change({ spec: { syncPolicy: { automated: null } } });
    await change({ metadata: { finalizers: null } });
  },
};

/** Where the kind is gone, there is nothing of it. */
function noneKnown(error: unknown): { items: KubeObject[] } {
  if (error instanceof SlipwayError && error.code === "KUBE_KIND_UNKNOWN") return { items: [] };
  throw error;
}

interface Application extends KubeObject {
  status?: {
    sync?: { status?: string };
    health?: { status?: string; message?: string };
    operationState?: { phase?: string; message?: string };
    conditions?: { type: string; message: string }[];
  };
}

function rootParts(options: ArgocdOptions): AddonPart[] {
  const { repository } = options;
  if (!repository) return [];
  const { url, credentials } = repository;
  const { username = "", password, sshKey } = credentials ?? {};
  const secret = secretObject(
    {
      name: "slipway-repository",
      namespace,
      labels: { "argocd.argoproj.io/secret-type": "repository" },
      texts: { type: "git", url, ...(password && { username }) },
    },
    { password, sshPrivateKey: sshKey },
  );
  return [
    { kind: "objects", name: "repository", objects: [secret] },
    {
      kind: "objects",
      name: "root",
      objects: [{ manifest: rootApplication(options, repository) }],
      awaits: [kindKnown("applications.argoproj.io")],
    },
  ];
}

/** Without the finalizer that would take everything along when it goes. */
const rootApplication = (
  { application, prune, selfHeal }: ArgocdOptions,
  { url, path, revision }: NonNullable<ArgocdOptions["repository"]>,
): Manifest => ({
  apiVersion,
  kind: "Application",
  metadata: { name: application, namespace },
  spec: {
    project: "default",
    source: { repoURL: url, path, targetRevision: revision },
    destination: { server: "https://kubernetes.default.svc", namespace },
    syncPolicy: { automated: { prune, selfHeal }, syncOptions: ["ServerSideApply=true"] },
  },
});

/** The chart keeps what is trusted in maps of its own. */
function trustSecrets({ repository }: ArgocdOptions): SecretPlace[] {
  const { ca, knownHosts } = repository?.credentials ?? {};
  const host = hostOf(repository?.url ?? "");
  return [
    ...(ca && host !== undefined ? [{ path: ["configs", "tls", "certificates", host], secret: ca }] : []),
    ...(knownHosts ? [{ path: ["configs", "ssh", "extraHosts"], secret: knownHosts }] : []),
  ];
}

const hostOf = (url: string): string | undefined => /^(?:\w+:\/\/)?(?:[^@/]*@)?([^:/]+)/.exec(url)?.[1];
