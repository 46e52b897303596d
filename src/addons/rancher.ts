import { askFromPod, fetchLines, type KubeClient, type Manifest } from "../clients/kube/index.ts";
import { realClock } from "../lib/index.ts";
import { addonVersions, type RancherAddon, type RancherOptions } from "../spec/index.ts";
import { defineAddon, type ObjectsPart, type SecretPlace } from "./definition.ts";
import { kindKnown, namespacePart, objectsPart } from "./object-parts.ts";
import { notYet } from "./prove-nodes.ts";
import { releasePart } from "./release-part.ts";

const namespace = "cattle-system";
const proofMs = 120_000;

/**
 * Rancher, which other clusters register with. Everything about it is said through Kubernetes, so nobody logs in and no
 * token of its own is made.
 */
export const rancher = defineAddon<RancherAddon>({
  name: "rancher",
  versions: addonVersions.rancher,
  after: ["proxmox-ccm", "cert-manager", "cilium", "longhorn"],

  parts({ addon, version }) {
    const { options } = addon;
    return [
      namespacePart(namespace),
      ...certificatePart(options),
      releasePart(addon, {
        name: "rancher",
        namespace,
        chart: { repository: "https://releases.rancher.com/server-charts/latest", name: "rancher" },
        version,
        values: rancherValues(options),
        secrets: [{ path: ["bootstrapPassword"], secret: options.password ?? "rancherPassword" }],
      }),
      {
        ...objectsPart("settings", [
          setting("server-url", `https://${options.hostname}`),
          // Otherwise the first who comes is asked for a password and a server URL.
          setting("first-login", "false"),
        ]),
        awaits: [kindKnown("settings.management.cattle.io"), kindKnown("clusters.provisioning.cattle.io")],
        // They are Rancher's own, and go with it.
        isKept: true,
      },
    ];
  },

  readiness: () => ({
    workloads: [
      { kind: "Deployment", namespace, name: "rancher" },
      // Rancher installs these by itself; until its webhook answers, every write is refused.
      { kind: "Deployment", namespace, name: "rancher-webhook" },
      { kind: "Deployment", namespace: "cattle-fleet-system", name: "fleet-controller" },
    ],
    objects: [{ apiVersion: "management.cattle.io/v3", kind: "Cluster", name: "local", condition: "Ready" }],
  }),

  prove: (kube, { addon }, signal) => proveName(kube, addon.options.hostname, signal),

  loses: "its users, settings and what it knows of other clusters",
});

/** A pod reaches it under its name, through the ingress: so can the agents of other clusters, if they know the name. */
async function proveName(kube: KubeClient, hostname: string, signal: AbortSignal) {
  const answer = await askFromPod(
    kube,
    {
      namespace: "slipway-proof-rancher",
      labels: { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/proof": "rancher" },
      lines: fetchLines(`https://${hostname}/ping`),
      tryMs: proofMs,
    },
    { clock: realClock, signal },
  );
  if ("silence" in answer) return notYet(answer.silence);
  const said = answer.said.trim();
  return said.endsWith("pong")
    ? ({ done: true, value: `https://${hostname} answers a pod` } as const)
    : notYet(`a pod gets no answer from https://${hostname}: ${said.split("\n").at(-1) || "nothing"}`);
}

const setting = (name: string, value: string): Manifest => ({
  apiVersion: "management.cattle.io/v3",
  kind: "Setting",
  metadata: { name },
  value,
});

function rancherValues({ hostname, replicas, tls }: RancherOptions): Record<string, unknown> {
  return {
    hostname,
    replicas,
    ingress: { tls: { source: tls.by === "cert-manager" ? "rancher" : "secret" } },
    ...(hasOwnAuthority(tls) ? { privateCA: true } : {}),
    // Without an authority to pin, agents have only what their system trusts.
    agentTLSMode: tls.by === "files" && !tls.ca ? "system-store" : "strict",
    // Small machines need longer than the two minutes it allows itself.
    startupProbe: { failureThreshold: 60 },
  };
}

const hasOwnAuthority = (tls: RancherOptions["tls"]): boolean =>
  tls.by === "slipway" || (tls.by === "files" && tls.ca !== undefined);

function certificatePart({ tls }: RancherOptions): ObjectsPart[] {
  if (tls.by === "cert-manager") return [];
  const { certificate, key, ca }: { certificate: Place; key: Place; ca?: Place } =
    tls.by === "files"
      ? tls
      : { certificate: "rancherCertificate", key: "rancherKey", ca: "rancherAuthority" };
  return [
    {
      kind: "objects",
      name: "certificate",
      objects: [
        secretOf("tls-rancher-ingress", "kubernetes.io/tls", { "tls.crt": certificate, "tls.key": key }),
        ...(ca ? [secretOf("tls-ca", "Opaque", { "cacerts.pem": ca })] : []),
      ],
      isAlwaysOurs: true,
    },
  ];
}

type Place = SecretPlace["secret"];

const secretOf = (
  name: string,
  type: string,
  texts: Record<string, Place>,
): ObjectsPart["objects"][number] => ({
  manifest: { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type, stringData: {} },
  secrets: Object.entries(texts).map(([key, secret]) => ({ path: ["stringData", key], secret })),
});
