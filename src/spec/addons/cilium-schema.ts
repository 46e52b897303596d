import { z } from "zod";
import { resolveAddress } from "../addresses.ts";
import { field, quote, type Refusal, refuse, textField, wholeNumber, yesOrNo } from "../field.ts";
import { address } from "../fields.ts";
import { broadcastOf, type Cidr, formatIpv4, networkOf, parseCidr } from "../ipv4.ts";
import { oneOf } from "../one-of.ts";
import { chartFieldsOfAddon } from "./common-fields.ts";
import type { AddressRange, Announcement, CiliumOptions } from "./model.ts";

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

const bgp = z
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
      .meta({ description: "The routers that are told.", examples: [[{ address: ".1", asn: 64513 }]] }),
  })
  .meta({
    id: "bgp",
    description: "How the nodes speak to routers.",
    examples: [{ asn: 64512, peers: [{ address: ".1", asn: 64513 }] }],
  });

const loadBalancer = z
  .strictObject({
    pools: z
      .array(pool)
      .min(1)
      .meta({
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
      .meta({ description: "Where `l2` answers. Left out: everywhere.", examples: [["^eth[0-9]+"]] }),
    bgp: bgp.optional(),
  })
  .meta({
    id: "loadBalancer",
    description: "Addresses for services of type LoadBalancer.",
    examples: [{ pools: [".200-.220"] }],
  });

export const ciliumSchema = z
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
      .meta({
        description: "The nodes' interfaces it works on. Left out: it finds them.",
        examples: [["eth0"]],
      }),
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-cilium",
    description: "Connects the pods, in place of Flannel, and leads to services.",
    examples: [{ loadBalancer: { pools: [".200-.220"] } }],
  });

type WrittenCilium = z.output<typeof ciliumSchema>;

export const completeCilium = (written: WrittenCilium, network: Cidr): CiliumOptions => ({
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
