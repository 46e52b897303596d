import {
  chooseVersion,
  findAddon,
  isTested,
  longhornExtensions,
  storageNodes,
  versionLike,
} from "../addons/index.ts";
import type { ClusterDraft, FleetDraft } from "../draft.ts";
import { isInside, parseIpv4 } from "../ipv4.ts";
import type { Problem } from "../problem.ts";
import { addonDraft, addonDrafts } from "./addon-place.ts";

/** What add-ons will do, but probably not as meant. */
export const addonWarnings = ({ clusters }: FleetDraft): Problem[] =>
  clusters.flatMap((draft) => [
    ...untested(draft),
    ...twoGitOps(draft),
    ...namesOfDhcp(draft),
    ...replicasWithoutNodes(draft),
    ...ownImage(draft),
    ...poolsElsewhere(draft),
    ...withoutDiscovery(draft),
  ]);

function untested(draft: ClusterDraft): Problem[] {
  const { kubernetes } = draft.cluster;
  if (kubernetes === "") return [];
  return addonDrafts(draft).flatMap(({ written: { name, options }, place }): Problem[] => {
    // Rancher refuses what it does not know.
    if (name === "chart" || name === "manifest" || name === "rancher") return [];
    const version = options.version ?? chooseVersion(name, kubernetes) ?? "";
    const known = versionLike(name, version);
    if (!known?.kubernetes || isTested(known, kubernetes)) return [];
    const { from, to } = known.kubernetes;
    const range = to === undefined ? `${from} and later` : `${from} to ${to}`;
    const usual = chooseVersion(name, kubernetes);
    const isOther = usual !== undefined && usual !== version;
    return [
      {
        code: "SPEC_ADDON_UNTESTED",
        what: `${name} ${version} is tested with Kubernetes ${range}, the cluster has ${kubernetes}`,
        next: isOther
          ? `Leave version out, and ${usual} is taken`
          : `Choose Kubernetes ${to ?? from}, or try it out first`,
        position: options.version === undefined ? place() : place("version"),
      },
    ];
  });
}

function twoGitOps(draft: ClusterDraft): Problem[] {
  const [flux, argocd] = [addonDraft(draft, "flux"), addonDraft(draft, "argocd")];
  if (!flux || !argocd) return [];
  return [
    {
      code: "SPEC_TWO_GITOPS",
      what: "Flux and Argo CD both keep this cluster: what both of them apply will change back and forth",
      next: "Take one of them out, or see that their repositories have nothing in common",
      position: argocd.place(),
    },
  ];
}

/** The cloud controller looks for a machine whose name begins with that of the node. */
function namesOfDhcp(draft: ClusterDraft): Problem[] {
  const addon = addonDraft(draft, "proxmox-ccm") ?? addonDraft(draft, "proxmox-csi");
  const node = draft.cluster.nodes.find((each) => each.isDhcp);
  if (!addon || !node) return [];
  return [
    {
      code: "SPEC_NODE_NAMES",
      what: "The cloud controller finds machines by the names of nodes, which DHCP gives here",
      next: `See that DHCP calls each node as its machine, like ${node.name}`,
      position: addon.place(),
    },
  ];
}

function replicasWithoutNodes(draft: ClusterDraft): Problem[] {
  const addon = addonDraft(draft, "longhorn");
  const replicas = addon?.written.options.replicas;
  if (!addon || replicas === undefined) return [];
  const nodes = storageNodes({
    nodes: draft.cluster.nodes,
    isSchedulingOnControlPlanes: draft.written.scheduleOnControlPlanes,
  }).length;
  if (replicas <= nodes) return [];
  return [
    {
      code: "SPEC_LONGHORN_REPLICAS",
      what: `Longhorn keeps copies on different nodes: ${replicas} of them need more than the ${nodes} that store`,
      next: `Write replicas: ${nodes}, or its volumes stay degraded`,
      position: addon.place("replicas"),
    },
  ];
}

function ownImage(draft: ClusterDraft): Problem[] {
  const addon = addonDraft(draft, "longhorn");
  const { distribution } = draft.cluster;
  if (!addon || distribution.kind !== "talos" || !distribution.image || "folder" in distribution.image)
    return [];
  const missing = longhornExtensions.filter((name) => !distribution.extensions.includes(name));
  if (missing.length === 0) return [];
  const names = missing.map((name) => name.replace("siderolabs/", ""));
  return [
    {
      code: "SPEC_EXTENSION_MISSING",
      what: `Longhorn does not run without ${names.join(" and ")}, and nobody knows what is in an image of your own`,
      next: `When it holds them, say so: talos: { extensions: [${names.join(", ")}] }`,
      position: addon.place(),
    },
  ];
}

/** ARP is answered in the network of the nodes. */
function poolsElsewhere(draft: ClusterDraft): Problem[] {
  const { pools = [], announce } = findAddon(draft.cluster, "cilium")?.options ?? {};
  const addon = addonDraft(draft, "cilium");
  if (announce?.kind !== "l2" || !addon) return [];
  return pools.flatMap(({ start, stop }, i): Problem[] => {
    const isIn = [start, stop].every((end) => isInside(draft.cidr, parseIpv4(end) ?? 0));
    if (isIn) return [];
    return [
      {
        code: "SPEC_POOL_OUTSIDE",
        what: `${start} to ${stop} lies outside of the nodes' network ${draft.cluster.network.cidr}, where l2 answers`,
        next: "Choose addresses of that network, or announce them with bgp",
        position: addon.place("loadBalancer", "pools", i),
      },
    ];
  });
}

/** KubePrism, through which Cilium reaches the API, learns of control planes by discovery. */
function withoutDiscovery(draft: ClusterDraft): Problem[] {
  const { document, path, written } = draft;
  if (written.talos.discovery !== false || !addonDraft(draft, "cilium")) return [];
  return [
    {
      code: "SPEC_NO_DISCOVERY",
      what: "Without discovery the way Cilium takes to the API may lead nowhere",
      next: "Leave discovery out",
      position: document.locate([...path, "talos", "discovery"]),
    },
  ];
}
