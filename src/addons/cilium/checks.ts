import {
  type AddonDraft,
  type ClusterDraft,
  elsewhere,
  type FleetDraft,
  formatIpv4,
  isInside,
  parseIpv4,
  type Problem,
} from "../../spec/index.ts";
import { type CiliumOptions, readRange, type WrittenCilium } from "./options.ts";

type CiliumDraft = AddonDraft<WrittenCilium, CiliumOptions>;

/** What Cilium refuses, and what it does not refuse but should. */
export const checkCilium = (cilium: CiliumDraft, draft: ClusterDraft, fleet: FleetDraft): Problem[] => [
  ...clusterName(draft),
  ...saidAsValue(cilium),
  ...unreplaced(cilium),
  ...bgpUnsaid(cilium),
  ...poolClashes(draft, cilium, fleet),
];

export const ciliumWarnings = (cilium: CiliumDraft, draft: ClusterDraft): Problem[] => [
  ...poolsElsewhere(cilium, draft),
  ...withoutDiscovery(draft),
];

function clusterName({ cluster, document, path }: ClusterDraft): Problem[] {
  if (cluster.name.length <= 32) return [];
  return [
    {
      code: "SPEC_BAD_NAME",
      what: `Cilium takes names of at most 32 characters, "${cluster.name}" has ${cluster.name.length}`,
      next: "Give the cluster a shorter name",
      position: document.locateKey(path),
    },
  ];
}

/** The nodes have to know of it as well, and they are told by the option. */
function saidAsValue({ written, place }: CiliumDraft): Problem[] {
  if (!Object.hasOwn(written.values, "kubeProxyReplacement")) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "A chart value does not tell the nodes whether to run kube-proxy",
      next: "Write kubeProxyReplacement: beside values:, not inside of it",
      position: place("values", "kubeProxyReplacement"),
    },
  ];
}

/** Both are done where kube-proxy would be. */
function unreplaced({ written, place }: CiliumDraft): Problem[] {
  const { kubeProxyReplacement, gatewayApi, loadBalancer } = written;
  if (kubeProxyReplacement) return [];
  const isL2 = loadBalancer && (loadBalancer.announce ?? (loadBalancer.bgp ? "bgp" : "l2")) === "l2";
  const what = gatewayApi ? "Gateway API" : isL2 ? "Answering for addresses of services (l2)" : undefined;
  if (what === undefined) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: `${what} works only where Cilium replaces kube-proxy`,
      next: "Leave kubeProxyReplacement out",
      position: place("kubeProxyReplacement"),
    },
  ];
}

function bgpUnsaid({ written, place }: CiliumDraft): Problem[] {
  const { loadBalancer } = written;
  if (loadBalancer?.announce !== "bgp" || loadBalancer.bgp) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: "No router is named",
      next: "Add bgp: { asn: 64512, peers: [{ address: .1, asn: 64513 }] }",
      position: place("loadBalancer", "announce"),
    },
  ];
}

interface Taken {
  start: number;
  stop: number;
  /** `the VIP`, `node cp-1`. */
  whose: string;
  at?: Problem["position"] | undefined;
}

/** Cilium drops what goes to its addresses on ports without a service: a node that has one is cut off. */
function poolClashes(draft: ClusterDraft, cilium: CiliumDraft, fleet: FleetDraft): Problem[] {
  const pools = cilium.written.loadBalancer?.pools ?? [];
  const taken = fleet.clusters.flatMap((other) => takenBy(other, other === draft));
  return pools.flatMap((text, i): Problem[] => {
    const range = readRange(draft.cidr, text);
    if (!range) return [];
    const position = cilium.place("loadBalancer", "pools", i);
    const others: Taken[] = pools.slice(0, i).flatMap((before) => {
      const found = readRange(draft.cidr, before);
      return found ? [{ ...found, whose: "another pool" }] : [];
    });
    const clash = [...taken, ...others].find(({ start, stop }) => start <= range.stop && range.start <= stop);
    if (!clash) return [];
    const shown = Math.max(clash.start, range.start);
    const where = clash.at ? ` ${elsewhere(clash.at, position)}` : "";
    return [
      {
        code: "SPEC_POOL_OVERLAP",
        what: `The pool holds ${formatIpv4(shown)}, which is ${clash.whose}${where}`,
        next: "Choose addresses that are not in use: Cilium would cut off whatever has them",
        position,
      },
    ];
  });
}

/** Addresses of a cluster; its pools only when seen from another one. */
function takenBy(draft: ClusterDraft, isOwn: boolean): Taken[] {
  const { cluster, document, path } = draft;
  const { vip, gateway, dns } = cluster.network;
  const of = isOwn ? "" : ` of ${cluster.name}`;
  const single = (address: string, whose: string, at?: Problem["position"]): Taken[] => {
    const number = parseIpv4(address);
    return number === undefined ? [] : [{ start: number, stop: number, whose, at }];
  };
  const pools = isOwn ? [] : cluster.addons.flatMap(({ facts }) => facts.serviceAddresses ?? []);
  return [
    ...(vip === undefined ? [] : single(vip, `the VIP${of}`, document.locate([...path, "network", "vip"]))),
    ...cluster.nodes.flatMap((node) => single(node.address, `node ${node.name}${of}`)),
    ...single(gateway, `the gateway${of}`),
    ...dns.flatMap((server) => single(server, `a name server${of}`)),
    ...pools.flatMap(({ start, stop }) => [
      { start: parseIpv4(start) ?? 0, stop: parseIpv4(stop) ?? 0, whose: `in a pool${of}` },
    ]),
  ];
}

/** ARP is answered in the network of the nodes. */
function poolsElsewhere({ addon, place }: CiliumDraft, draft: ClusterDraft): Problem[] {
  const { pools, announce } = addon.options;
  if (announce.kind !== "l2") return [];
  return pools.flatMap(({ start, stop }, i): Problem[] => {
    const isIn = [start, stop].every((end) => isInside(draft.cidr, parseIpv4(end) ?? 0));
    if (isIn) return [];
    return [
      {
        code: "SPEC_POOL_OUTSIDE",
        what: `${start} to ${stop} lies outside of the nodes' network ${draft.cluster.network.cidr}, where l2 answers`,
        next: "Choose addresses of that network, or announce them with bgp",
        position: place("loadBalancer", "pools", i),
      },
    ];
  });
}

/** KubePrism, through which Cilium reaches the API, learns of control planes by discovery. */
function withoutDiscovery(draft: ClusterDraft): Problem[] {
  const { document, path, written } = draft;
  if (written.talos.discovery !== false) return [];
  return [
    {
      code: "SPEC_NO_DISCOVERY",
      what: "Without discovery the way Cilium takes to the API may lead nowhere",
      next: "Leave discovery out",
      position: document.locate([...path, "talos", "discovery"]),
    },
  ];
}
