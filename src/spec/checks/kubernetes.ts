import { findAddon } from "../addons/index.ts";
import type { ClusterDraft, FleetDraft } from "../draft.ts";
import type { Problem } from "../problem.ts";

/** Who connects pods and leads to services: one of each, not two, not none. */
export function checkKubernetes({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => [...twoNetworks(draft), ...kubeProxy(draft)]);
}

const ciliumOf = ({ cluster }: ClusterDraft) => findAddon(cluster, "cilium");

function twoNetworks(draft: ClusterDraft): Problem[] {
  const { written, document, path } = draft;
  if (written.network.cni !== "flannel" || !ciliumOf(draft)) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "Flannel and the add-on cilium would both connect the pods",
      next: "Leave cni out, or the add-on",
      position: document.locate([...path, "network", "cni"]),
    },
  ];
}

function kubeProxy(draft: ClusterDraft): Problem[] {
  const { written, document, path } = draft;
  const said = written.network.kubeProxy;
  if (said === undefined) return [];
  const cilium = ciliumOf(draft);
  const isReplaced = cilium?.options.kubeProxyReplacement === true;
  const position = document.locate([...path, "network", "kubeProxy"]);
  if (said && isReplaced) {
    const what = "kube-proxy and the add-on cilium would both lead to services";
    const next = "Leave kubeProxy out, or give cilium kubeProxyReplacement: false";
    return [{ code: "SPEC_CHOOSE_ONE", what, next, position }];
  }
  const isBrought = isReplaced || (written.network.cni === "none" && !cilium);
  if (said || isBrought) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "Without kube-proxy nobody leads to services",
      next: "Leave kubeProxy out, or bring what replaces it: addons: [cilium], or cni: none and one of your own",
      position,
    },
  ];
}
