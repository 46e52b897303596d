import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { nodePlace } from "../../complete/pools.ts";
import { placeKey } from "../../source/positions.ts";
import type { Problem } from "../../source/problem.ts";
import { isTalos } from "../../model/distribution-kinds.ts";

/** What works, but probably not as meant. */
export const clusterWarnings = ({ clusters }: FleetDraft): Problem[] =>
  clusters
    .filter(({ cluster }) => isTalos(cluster))
    .flatMap((draft) => [...noNetworkYet(draft), ...labelsRefused(draft)]);

function noNetworkYet({ cluster, written, document, path }: ClusterDraft): Problem[] {
  const isBrought =
    cluster.addons.some(({ facts }) => facts.connectsPods ?? facts.isOwn) ||
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
    .filter(({ what, position }) => {
      const key = `${placeKey(position)} ${what}`;
      return !seen.has(key) && seen.add(key);
    });
}
