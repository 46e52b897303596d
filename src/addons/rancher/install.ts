import { askFromPod, fetchLines, type KubeClient, type Manifest } from "../../clients/kube/index.ts";
import type { Limits } from "../../lib/index.ts";
import {
  type AddonInstallation,
  kindKnown,
  namespacePart,
  notYet,
  objectsPart,
  type ObjectsPart,
  releasePart,
  type SecretPlace,
} from "../common/index.ts";
import { rancherStore } from "./keys.ts";
import type { RancherOptions } from "./options.ts";

const namespace = "cattle-system";
const proofMs = 120_000;

/**
 * Rancher, which other clusters register with. Everything about it is said through Kubernetes, so nobody logs in and no
 * token of its own is made.
 */
export const installation: AddonInstallation<RancherOptions> = {
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
        secrets: [{ path: ["bootstrapPassword"], secret: options.password ?? "rancher/password" }],
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

  prove: (kube, { addon }, limits) => proveName(kube, addon.options.hostname, limits),

  openSecrets(kit) {
    const store = rancherStore(kit);
    return {
      async text(name, { options }, cluster) {
        const { password, authority, certificate } = await store.ensure(cluster.name, options.hostname);
        const texts: Record<string, string> = {
          password,
          authority: authority.cert,
          certificate: certificate.cert,
          key: certificate.key,
        };
        const text = texts[name];
        if (text === undefined) throw new Error(`Rancher has no secret "${name}"`);
        return text;
      },
    };
  },
};

/** A pod reaches it under its name, through the ingress: so can the agents of other clusters, if they know the name. */
async function proveName(kube: KubeClient, hostname: string, limits: Limits) {
  const answer = await askFromPod(
    kube,
    {
      namespace: "slipway-proof-rancher",
      labels: { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/proof": "rancher" },
      lines: fetchLines(`https://${hostname}/ping`),
      tryMs: proofMs,
    },
    limits,
  );
  if ("unreachableBecause" in answer) return notYet(answer.unreachableBecause);
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
      : { certificate: "rancher/certificate", key: "rancher/key", ca: "rancher/authority" };
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
