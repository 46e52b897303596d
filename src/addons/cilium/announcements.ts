import type { Manifest } from "../../clients/kube/index.ts";
import { type AwaitedObject, kindKnown } from "../common/index.ts";
import type { Announcement, CiliumOptions } from "./options.ts";

const name = "slipway";

/** Addresses for services, and how the network learns where they are. */
export function ciliumAnnouncements({ pools, announce }: CiliumOptions): Manifest[] {
  if (pools.length === 0) return [];
  const pool: Manifest = {
    apiVersion: "cilium.io/v2",
    kind: "CiliumLoadBalancerIPPool",
    metadata: { name },
    spec: { blocks: pools },
  };
  return [pool, ...announcementObjects(announce)];
}

function announcementObjects(announce: Announcement): Manifest[] {
  switch (announce.kind) {
    case "none":
      return [];
    case "l2":
      return [
        {
          apiVersion: "cilium.io/v2alpha1",
          kind: "CiliumL2AnnouncementPolicy",
          metadata: { name },
          spec: {
            loadBalancerIPs: true,
            ...(announce.interfaces.length > 0 && { interfaces: announce.interfaces }),
          },
        },
      ];
    case "bgp":
      return bgpObjects(announce);
  }
}

const advertised = { "slipway.dev/advertisement": name };

const bgpObjects = ({ asn, peers }: Extract<Announcement, { kind: "bgp" }>): Manifest[] => [
  {
    apiVersion: "cilium.io/v2",
    kind: "CiliumBGPAdvertisement",
    metadata: { name, labels: advertised },
    spec: {
      advertisements: [
        {
          advertisementType: "Service",
          service: { addresses: ["LoadBalancerIP"] },
          // No selector means no service at all; one that nothing contradicts means all of them.
          selector: {
            matchExpressions: [{ key: "slipway.dev/advertised", operator: "NotIn", values: ["no"] }],
          },
        },
      ],
    },
  },
  {
    apiVersion: "cilium.io/v2",
    kind: "CiliumBGPPeerConfig",
    metadata: { name },
    spec: { families: [{ afi: "ipv4", safi: "unicast", advertisements: { matchLabels: advertised } }] },
  },
  {
    apiVersion: "cilium.io/v2",
    kind: "CiliumBGPClusterConfig",
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { "kubernetes.io/os": "linux" } },
      bgpInstances: [
        {
          name,
          localASN: asn,
          peers: peers.map((peer, i) => ({
            name: `peer-${i + 1}`,
            peerASN: peer.asn,
            peerAddress: peer.address,
            peerConfigRef: { name },
          })),
        },
      ],
    },
  },
];

const definitions: Record<string, string> = {
  CiliumLoadBalancerIPPool: "ciliumloadbalancerippools.cilium.io",
  CiliumL2AnnouncementPolicy: "ciliuml2announcementpolicies.cilium.io",
  CiliumBGPAdvertisement: "ciliumbgpadvertisements.cilium.io",
  CiliumBGPPeerConfig: "ciliumbgppeerconfigs.cilium.io",
  CiliumBGPClusterConfig: "ciliumbgpclusterconfigs.cilium.io",
};

export const ciliumKinds = (objects: Manifest[]): AwaitedObject[] =>
  objects.flatMap(({ kind }) => {
    const definition = definitions[kind];
    return definition === undefined ? [] : [kindKnown(definition)];
  });
