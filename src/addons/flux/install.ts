import {
  type Manifest,
  conditionOf,
  type KubeClient,
  type KubeObject,
  type KubeRef,
} from "../../clients/kube/index.ts";
import {
  type AddonInstallation,
  kindKnown,
  namespacePart,
  notYet,
  type ObjectsPart,
  releasePart,
  secretObject,
} from "../common/index.ts";
import type { FluxOptions } from "./options.ts";
import type { Seen } from "../../plan/index.ts";

const namespace = "flux-system";
const ageSecret = "sops-age";

/**
 * Keeps the cluster as a Git repository says. Flux Operator runs it: its image brings the manifests, so one chart is
 * enough without a way out, and when it removes Flux what Flux applied stays.
 */
export const installation: AddonInstallation<FluxOptions> = {
  parts({ addon, cluster, version }) {
    const secrets = fluxSecrets(addon.options);
    return [
      namespacePart(namespace),
      ...(secrets.length > 0 ? [{ kind: "objects" as const, name: "secrets", objects: secrets }] : []),
      releasePart(addon, {
        name: "flux-operator",
        namespace,
        chart: { oci: "oci://ghcr.io/controlplaneio-fluxcd/charts/flux-operator" },
        version,
        values: {},
      }),
      {
        kind: "objects",
        name: "instance",
        objects: [{ manifest: fluxInstance(addon.options, cluster.network.dnsDomain) }],
        awaits: [kindKnown("fluxinstances.fluxcd.controlplane.io")],
      },
    ];
  },

  readiness: () => ({
    workloads: ["flux-operator", ...controllers].map((name) => ({ kind: "Deployment", namespace, name })),
    objects: [
      {
        apiVersion: "fluxcd.controlplane.io/v1",
        kind: "FluxInstance",
        name: "flux",
        namespace,
        condition: "Ready",
      },
    ],
  }),

  /** Both are named after the namespace. */
  prove: (kube, _input, { signal }) =>
    proveCondition(
      kube,
      [
        { apiVersion: "source.toolkit.fluxcd.io/v1", kind: "GitRepository", name: namespace, namespace },
        { apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization", name: namespace, namespace },
      ],
      signal,
    ),
};

const controllers = [
  "source-controller",
  "kustomize-controller",
  "helm-controller",
  "notification-controller",
];

function fluxInstance(options: FluxOptions, domain: string): Manifest {
  const decryption = { provider: "sops", secretRef: { name: ageSecret } };
  return {
    apiVersion: "fluxcd.controlplane.io/v1",
    kind: "FluxInstance",
    metadata: { name: "flux", namespace },
    spec: {
      distribution: { version: options.distribution, registry: options.registry },
      components: controllers,
      cluster: { type: "kubernetes", networkPolicy: true, domain },
      sync: {
        kind: "GitRepository",
        url: options.url,
        ref: `refs/heads/${options.branch}`,
        path: options.path,
        ...(options.credentials && { pullSecret: namespace }),
      },
      ...(options.ageKey && {
        kustomize: {
          patches: [
            {
              target: { kind: "Kustomization", name: namespace },
              patch: JSON.stringify([{ op: "add", path: "/spec/decryption", value: decryption }]),
            },
          ],
        },
      }),
    },
  };
}

function fluxSecrets({ credentials, ageKey }: FluxOptions): ObjectsPart["objects"] {
  const { username = "", password, sshKey, knownHosts, ca } = credentials ?? {};
  return [
    ...(credentials
      ? [
          secretObject(
            { name: namespace, namespace, ...(password && { texts: { username } }) },
            { password, identity: sshKey, known_hosts: knownHosts, "ca.crt": ca },
          ),
        ]
      : []),
    ...(ageKey ? [secretObject({ name: ageSecret, namespace }, { "age.agekey": ageKey })] : []),
  ];
}

/** All objects say Ready about what they were last told; else what the first of them says instead. */
async function proveCondition(kube: KubeClient, refs: KubeRef[], signal: AbortSignal): Promise<Seen<string>> {
  for (const ref of refs) {
    const object = await kube.get(ref, signal);
    if (!object) return notYet(`${ref.kind} ${ref.name} is not there yet`);
    const ready = conditionOf(object, "Ready");
    if (ready?.status === "True" && isUpToDate(object)) continue;
    return notYet(
      `${ref.kind} ${ref.name}: ${ready?.message ?? ready?.reason ?? "it does not say Ready yet"}`,
    );
  }
  return { done: true, value: refs.map(({ kind }) => `${kind} is Ready`).join(", ") };
}

function isUpToDate(object: KubeObject): boolean {
  const { observedGeneration } = (object["status"] ?? {}) as { observedGeneration?: number };
  const { generation } = object.metadata as { generation?: number };
  return observedGeneration === undefined || generation === undefined || observedGeneration >= generation;
}
