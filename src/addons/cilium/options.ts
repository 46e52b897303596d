import { z } from "zod";
import {
  address,
  type AddonSurroundings,
  type AddressRange,
  broadcastOf,
  chartFieldsOfAddon,
  type Cidr,
  field,
  formatIpv4,
  lazy,
  networkOf,
  oneOf,
  parseCidr,
  quote,
  type Refusal,
  refuse,
  resolveAddress,
  textField,
  wholeNumber,
  yesOrNo,
} from "../../spec/index.ts";

export interface BgpPeer {
  address: string;
  asn: number;
}

/** How the network learns where the addresses of services are. */
export type Announcement =
  | { kind: "l2"; interfaces: string[] }
  | { kind: "bgp"; asn: number; peers: BgpPeer[] }
  | { kind: "none" };

export interface CiliumOptions {
  kubeProxyReplacement: boolean;
  hubble: "off" | "relay" | "ui";
  /** None: services of type LoadBalancer get no address. */
  pools: AddressRange[];
  announce: Announcement;
  gatewayApi: boolean;
  bandwidthManager: boolean;
  /** None: Cilium finds them. */
  devices: string[];
}

const anyNetwork: Cidr = { base: 0, prefix: 0 };

/** Both ends of `.200-.220`, of `192.168.1.240/28` or of a single address, as numbers. */
export function readRange(network: Cidr, text: string): { start: number; stop: number } | undefined {
  const whole = parseCidr(text);
  if (whole) return { start: networkOf(whole).base, stop: broadcastOf(networkOf(whole)) };
  const [first = "", last = first, ...rest] = text.split("-").map((end) => end.trim());
  const [start, stop] = [resolveAddress(network, first), resolveAddress(network, last)];
  const isRange = start !== undefined && stop !== undefined && start <= stop && rest.length === 0;
  return isRange ? { start, stop } : undefined;
}

const pool = field(
  {
    type: ["string", "number"],
    description: "A range, a network or a single address; short addresses are completed from the cidr.",
    examples: [".200-.220", "192.168.1.240/28"],
  },
  (written): string | Refusal => {
    if (typeof written === "string" && readRange(anyNetwork, written)) return written;
    const next = "Write a range like .200-.220, or a network like 192.168.1.240/28";
    return refuse("SPEC_BAD_ADDRESS", `${quote(written)} is not a range of addresses`, next);
  },
);

const asn = (description: string) => wholeNumber({ description, examples: [64512] }, 1, 4294967295);

const interfaceName = textField(
  { description: "An interface of the nodes, or a pattern.", examples: ["^eth[0-9]+"] },
  { pattern: /^\S+$/, code: "SPEC_BAD_NAME", isNot: "an interface", next: "Write a name like eth0" },
);

const bgp = lazy(() =>
  z
    .strictObject({
      asn: asn("Of the cluster."),
      peers: z
        .array(
          z.strictObject({
            address: address({ description: "Of the router.", examples: [".1"] }),
            asn: asn("Of the router."),
          }),
        )
        .min(1)
        .register(z.globalRegistry, {
          description: "The routers that are told.",
          examples: [[{ address: ".1", asn: 64513 }]],
        }),
    })
    .register(z.globalRegistry, {
      id: "bgp",
      description: "How the nodes speak to routers.",
      examples: [{ asn: 64512, peers: [{ address: ".1", asn: 64513 }] }],
    }),
);

const loadBalancer = lazy(() =>
  z
    .strictObject({
      pools: z
        .array(pool)
        .min(1)
        .register(z.globalRegistry, {
          description:
            "Addresses for services of type LoadBalancer. Never those of nodes or the VIP: Cilium drops what else goes to them, and the node is cut off.",
          examples: [[".200-.220"]],
        }),
      announce: oneOf(
        {
          description:
            "How the network learns of them: `l2` answers ARP in the nodes' network, `bgp` tells routers, `none` leaves it to you. Left out: `bgp` when it is described, else `l2`.",
        },
        ["l2", "bgp", "none"],
      ).optional(),
      interfaces: z
        .array(interfaceName)
        .prefault([])
        .register(z.globalRegistry, {
          description: "Where `l2` answers. Left out: everywhere.",
          examples: [["^eth[0-9]+"]],
        }),
      bgp: bgp.optional(),
    })
    .register(z.globalRegistry, {
      id: "loadBalancer",
      description: "Addresses for services of type LoadBalancer.",
      examples: [{ pools: [".200-.220"] }],
    }),
);

export const ciliumSchema = lazy(() =>
  z
    .strictObject({
      kubeProxyReplacement: yesOrNo({
        description: "Cilium leads to services itself, and kube-proxy is left out.",
      }).prefault(true),
      hubble: oneOf(
        { description: "What is seen of the traffic: nothing, from the command line, or in a browser too." },
        ["off", "relay", "ui"],
      ).prefault("off"),
      loadBalancer: loadBalancer.optional(),
      gatewayApi: yesOrNo({
        description: "Cilium serves Gateway API; gateway-api-crds comes along.",
      }).prefault(false),
      bandwidthManager: yesOrNo({
        description: "Pods are held to the bandwidth that their annotations name.",
      }).prefault(false),
      devices: z
        .array(interfaceName)
        .prefault([])
        .register(z.globalRegistry, {
          description: "The nodes' interfaces it works on. Left out: it finds them.",
          examples: [["eth0"]],
        }),
      ...chartFieldsOfAddon,
    })
    .register(z.globalRegistry, {
      id: "addon-cilium",
      description: "Connects the pods, in place of Flannel, and leads to services.",
      examples: [{ loadBalancer: { pools: [".200-.220"] } }],
    }),
);

export type WrittenCilium = z.output<typeof ciliumSchema>;

export const completeCilium = (
  written: WrittenCilium,
  { cidr: network }: AddonSurroundings,
): CiliumOptions => ({
  kubeProxyReplacement: written.kubeProxyReplacement,
  hubble: written.hubble,
  pools: (written.loadBalancer?.pools ?? []).map((text) => addressRange(network, text)),
  announce: announcement(written.loadBalancer, network),
  gatewayApi: written.gatewayApi,
  bandwidthManager: written.bandwidthManager,
  devices: written.devices,
});

function addressRange(network: Cidr, text: string): AddressRange {
  const { start, stop } = readRange(network, text) ?? { start: 0, stop: 0 };
  return { start: formatIpv4(start), stop: formatIpv4(stop) };
}

/** BGP that nobody described is refused by the checks. */
function announcement(written: WrittenCilium["loadBalancer"], network: Cidr): Announcement {
  if (!written || written.announce === "none") return { kind: "none" };
  const isBgp = written.announce === "bgp" || (written.announce === undefined && written.bgp);
  if (!isBgp) return { kind: "l2", interfaces: written.interfaces };
  const peers = (written.bgp?.peers ?? []).map((peer) => ({
    address: formatIpv4(resolveAddress(network, peer.address) ?? 0),
    asn: peer.asn,
  }));
  return { kind: "bgp", asn: written.bgp?.asn ?? 0, peers };
}
