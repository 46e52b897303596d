import type { StandIn } from "../../common/stand-in/index.ts";
import { cilium } from "./chart.ts";
import { definitionOf, ensure, operating } from "../../../sim/kube/index.ts";

const kinds: [version: string, kind: string, plural: string][] = [
  ["v2", "CiliumNode", "ciliumnodes"],
  ["v2", "CiliumLoadBalancerIPPool", "ciliumloadbalancerippools"],
  ["v2alpha1", "CiliumL2AnnouncementPolicy", "ciliuml2announcementpolicies"],
  ["v2", "CiliumBGPClusterConfig", "ciliumbgpclusterconfigs"],
  ["v2", "CiliumBGPPeerConfig", "ciliumbgppeerconfigs"],
  ["v2", "CiliumBGPAdvertisement", "ciliumbgpadvertisements"],
];

/** Cilium's kinds come from its operator, not from its chart. */
const ciliumOperator = operating({
  namespace: "kube-system",
  workload: "cilium-operator",
  watches: [],
  work: ({ store }) =>
    ensure(
      store,
      kinds.map(([version, kind, plural]) => definitionOf("cilium.io", version, kind, plural, "Cluster")),
      "cilium-operator",
    ),
});

export const standIn: StandIn = {
  charts: cilium,
  controllers: [ciliumOperator],
  addressPools: [{ apiVersion: "cilium.io/v2", kind: "CiliumLoadBalancerIPPool" }],
};
