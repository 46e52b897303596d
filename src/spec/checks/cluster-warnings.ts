import { longhornExtensions as longhornNeeds } from "../addons/index.ts";
import { type ClusterDraft, type FleetDraft, nodePlace } from "../draft.ts";
import type { Problem } from "../problem.ts";
import { isTalos, talosOf } from "../distribution-kinds.ts";
import { contractMinor } from "./talos.ts";

/** What works, but probably not as meant. */
export const clusterWarnings = ({ clusters }: FleetDraft): Problem[] =>
  clusters
    .filter(({ cluster }) => isTalos(cluster))
    .flatMap((draft) => [
      ...noNetworkYet(draft),
      ...longhornExtensions(draft),
      ...longhornIsolated(draft),
      ...labelsRefused(draft),
    ]);

function noNetworkYet({ cluster, written, document, path }: ClusterDraft): Problem[] {
  const isBrought =
    cluster.addons.some(({ name }) => ["cilium", "chart", "manifest"].includes(name)) ||
    Boolean(written.extraManifests ?? written.inlineManifests);
  if (written.network.cni !== "none" || isBrought) return [];
  return [
    {
      code: "SPEC_NO_CNI",
      what: `Nothing connects the pods of "${cluster.name}": its nodes will not become Ready by themselves`,
      next: "Add addons: [cilium], or bring a CNI with extraManifests or inlineManifests",
      position: document.locate([...path, "network", "cni"]),
    },
  ];
}

/** The first node with a disk for Longhorn stands for all. */
function longhornPlace(draft: ClusterDraft): Problem["position"] | undefined {
  for (const pool of draft.pools) {
    const node = pool.nodes.find((each) => each.dataDisks.some((disk) => disk.for === "longhorn"));
    if (node) return nodePlace(draft, pool, node, "dataDisks");
  }
  return draft.cluster.addons.find(({ name }) => name === "longhorn")?.at;
}

function longhornExtensions(draft: ClusterDraft): Problem[] {
  const { extensions, image } = talosOf(draft.cluster);
  const missing = longhornNeeds.filter((name) => !extensions.includes(name));
  const position = longhornPlace(draft);
  // Nobody knows what is in an image of one's own.
  if (position === undefined || missing.length === 0 || image) return [];
  const names = missing.map((name) => name.replace("siderolabs/", "")).join(", ");
  return [
    {
      code: "SPEC_EXTENSION_MISSING",
      what: `Longhorn does not run without ${names.replace(", ", " and ")} in the image`,
      next: `Add talos: { extensions: [${names}] }`,
      position,
    },
  ];
}

function longhornIsolated(draft: ClusterDraft): Problem[] {
  const position = longhornPlace(draft);
  if (position === undefined || contractMinor(draft) < 14) return [];
  if (draft.written.talos.workloadIsolation === false) return [];
  return [
    {
      code: "SPEC_WORKLOAD_ISOLATED",
      what: "Longhorn works inside of the node, which workload isolation of Talos 1.14 prevents",
      next: "Add talos: { workloadIsolation: false }, or keep the older form: { contract: v1.13 }",
      position,
    },
  ];
}

const ownPrefixes = /^(?:[a-z0-9.-]+\.)?(?:kubelet|node)\.kubernetes\.io\//;
const ownLabels = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
]);

/** Kubernetes does not let a worker give itself labels of Kubernetes's own domains; control planes may. */
function labelsRefused(draft: ClusterDraft): Problem[] {
  const seen = new Set<string>();
  return draft.pools
    .filter((pool) => pool.role === "worker")
    .flatMap((pool) =>
      pool.nodes.flatMap((node) =>
        Object.keys(node.labels)
          .filter((key) => /(?:^|\.)(?:kubernetes|k8s)\.io\//.test(key))
          .filter((key) => !ownPrefixes.test(key) && !ownLabels.has(key))
          .map((key): Problem => ({
            code: "SPEC_LABEL_REFUSED",
            what: `Kubernetes does not let workers give themselves the label "${key}"`,
            next: "Use a domain of your own, or set it with kubectl label",
            position: nodePlace(draft, pool, node, "labels"),
          })),
      ),
    )
    .filter(({ what, position: { line, column } }) => {
      const key = `${line}:${column} ${what}`;
      return !seen.has(key) && seen.add(key);
    });
}
