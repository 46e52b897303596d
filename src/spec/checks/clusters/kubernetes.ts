import { addonWith } from "../../addons/index.ts";
import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import type { Problem } from "../../source/problem.ts";

/** Who connects pods and leads to services: one of each, not two, not none. */
export function checkKubernetes({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => [...twoNetworks(draft), ...kubeProxy(draft)]);
}

function twoNetworks(draft: ClusterDraft): Problem[] {
  const { cluster, written, document, path } = draft;
  const network = addonWith(cluster, "connectsPods");
  if (written.network.cni !== "flannel" || !network) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: `Flannel and the add-on ${network.name} would both connect the pods`,
      next: "Leave cni out, or the add-on",
      position: document.locate([...path, "network", "cni"]),
    },
  ];
}

function kubeProxy(draft: ClusterDraft): Problem[] {
  const { cluster, written, document, path } = draft;
  const said = written.network.kubeProxy;
  if (said === undefined) return [];
  const network = addonWith(cluster, "connectsPods");
  const replacing = addonWith(cluster, "replacesKubeProxy");
  const position = document.locate([...path, "network", "kubeProxy"]);
  if (said && replacing) {
    const what = `kube-proxy and the add-on ${replacing.name} would both lead to services`;
    const next = `Leave kubeProxy out, or give ${replacing.name} kubeProxyReplacement: false`;
    return [{ code: "SPEC_CHOOSE_ONE", what, next, position }];
  }
  const isBrought = replacing ?? (written.network.cni === "none" && !network);
  if (said || isBrought) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "Without kube-proxy nothing routes to services",
      next: "Leave kubeProxy out, or bring what replaces it: addons: [cilium], or cni: none and one of your own",
      position,
    },
  ];
}
