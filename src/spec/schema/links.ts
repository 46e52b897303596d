import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { wholeNumber, yesOrNo } from "./fields/field.ts";
import { address, cidr, mac } from "./fields/common-fields.ts";
import { addressInNetwork, bridge, mtu, trunks, vlanTag } from "./fields/link-fields.ts";
import { oneOf } from "./fields/one-of.ts";

export const bondModes = [
  "active-backup",
  "802.3ad",
  "balance-rr",
  "balance-xor",
  "broadcast",
  "balance-tlb",
  "balance-alb",
] as const;

const route = lazy(() =>
  z
    .strictObject({
      to: cidr(
        {
          description: "The network it leads to. Left out: everything that no other route knows.",
          examples: ["10.0.0.0/8"],
        },
        1,
        32,
      ).optional(),
      via: address({ description: "The gateway to it.", examples: [".2"] }),
      metric: wholeNumber(
        { description: "The lowest wins where several lead there.", examples: [512] },
        1,
        65_535,
      ).optional(),
    })
    .register(z.globalRegistry, { id: "route", description: "A way to other networks." }),
);

export const routes = (description: string) =>
  z
    .array(route)
    .optional()
    .register(z.globalRegistry, { description, examples: [[{ to: "10.0.0.0/8", via: ".2" }]] });

/** What a link can be told, be it a card or a VLAN on it. `first` says whose address it is. */
const linkFields = (first: string) => ({
  address: addressInNetwork({
    description: `Its address and network${first}. Left out: none.`,
    examples: ["10.20.0.11/24"],
  }).optional(),
  dhcp: yesOrNo({ description: "Ask a DHCP server for an address, less preferred as a way out." }).optional(),
  mtu: mtu("Its MTU. Left out: 1500.").optional(),
  routes: routes("Ways through it. Short addresses are completed from its own network."),
});

const counted = "; in a pool the first node's, the others count up from it";

const vlan = lazy(() =>
  z
    .strictObject({
      id: vlanTag("Its number.", 20),
      ...linkFields(counted),
    })
    .register(z.globalRegistry, {
      id: "guestVlan",
      description: "A VLAN that the node tags by itself; the bridge must let tagged frames through.",
      examples: [{ id: 20, address: "10.20.0.11/24" }],
    }),
);

export const vlans = (description: string) =>
  z
    .array(vlan)
    .optional()
    .register(z.globalRegistry, { description, examples: [[{ id: 20, address: "10.20.0.11/24" }]] });

const bond = lazy(() =>
  z
    .strictObject({
      mode: oneOf({ description: "How the NICs share the work." }, bondModes).prefault("active-backup"),
      bridges: z
        .array(bridge({ description: "A bridge.", examples: ["vmbr2"] }))
        .min(1)
        .register(z.globalRegistry, {
          description: "One further NIC on each of these bridges is joined with this one.",
          examples: [["vmbr2"]],
        }),
      lacpRate: oneOf({ description: "With mode 802.3ad." }, ["slow", "fast"]).optional(),
      hashPolicy: oneOf({ description: "What decides which NIC a packet leaves through." }, [
        "layer2",
        "layer3+4",
        "layer2+3",
        "encap2+3",
        "encap3+4",
        "vlan+srcmac",
      ]).optional(),
    })
    .register(z.globalRegistry, {
      id: "bond",
      description: "Several NICs used as one.",
      examples: [{ mode: "active-backup", bridges: ["vmbr2"] }],
    }),
);

const nic = lazy(() =>
  z
    .strictObject({
      bridge: bridge({ description: "The bridge it is plugged into.", examples: ["vmbr1"] }),
      vlan: vlanTag("The VLAN tag the host gives it.", 30).optional(),
      trunks: trunks("VLANs that also pass it, tagged."),
      firewall: yesOrNo({ description: "Whether it goes through the hypervisor's firewall." }).prefault(
        false,
      ),
      mac: mac({
        description: `Its MAC address${counted}. Left out: made from cluster, pool, NIC and number.`,
        examples: ["02:a1:b2:c3:d5:01"],
      }).optional(),
      ...linkFields(counted),
      vlans: vlans("VLANs on top of it, tagged by the node itself."),
      bond: bond.optional(),
    })
    .register(z.globalRegistry, {
      id: "nic",
      description: "A NIC beside the first one.",
      examples: [{ bridge: "vmbr1", address: "10.20.0.11/24" }],
    }),
);

export const nics = (description: string) =>
  z
    .array(nic)
    .optional()
    .register(z.globalRegistry, { description, examples: [[{ bridge: "vmbr1", address: "10.20.0.11/24" }]] });

export type WrittenNic = z.output<typeof nic>;
export type WrittenVlan = z.output<typeof vlan>;
export type WrittenRoute = z.output<typeof route>;
