import { z } from "zod";
import { field, type FieldNotes, quote, type Refusal, refuse, yesOrNo } from "./fields/field.ts";
import { address, cidr } from "./fields/common-fields.ts";
import { resolveAddress } from "../values/addresses.ts";
import { jumpHost } from "./host.ts";
import { jumpOver } from "./jump.ts";
import { libvirtNetwork } from "./libvirt-network.ts";
import { bridge, domain, isHostName, mtu, trunks, vlanTag } from "./fields/link-fields.ts";
import { routes } from "./links.ts";
import { oneOf } from "./fields/one-of.ts";

const subnets = (description: string, initial: string) =>
  z
    .array(cidr({ description, examples: [initial] }, 8, 24))
    .min(1)
    .prefault([initial])
    .register(z.globalRegistry, { description, examples: [[initial]] });

/** A name, or an address, whole or short. */
const nameOrAddress = (notes: FieldNotes) =>
  field({ type: ["string", "number"], ...notes }, (written): string | Refusal => {
    const isAddress =
      typeof written === "string" && resolveAddress({ base: 0, prefix: 0 }, written) !== undefined;
    // All digits and dots, but no address: a slip, not a name.
    const isName = typeof written === "string" && isHostName(written) && !/^[\d.]+$/.test(written);
    if (isAddress || isName) return written;
    const next = "Write a name like time.cloudflare.com, or an address";
    return refuse("SPEC_BAD_ADDRESS", `${quote(written)} is neither a name nor an address`, next);
  });

const oneOrMore = <T extends z.ZodType>(one: T) => z.union([z.array(one).min(1), one]);

export const networkSchema = z
  .strictObject({
    cidr: cidr({ description: "The network the nodes are in.", examples: ["192.168.1.0/24"] }, 8, 29),
    gateway: address({
      description:
        "The way out. Short addresses like `.1` are completed from the cidr. Left out: the first address.",
      examples: [".1", "192.168.1.1"],
    }).optional(),
    dns: oneOrMore(address({ description: "A name server." }))
      .register(z.globalRegistry, {
        description: "Name servers, one or a list. Left out: the gateway, or what DHCP offers.",
        examples: [[".1", "1.1.1.1"]],
      })
      .optional(),
    search: oneOrMore(domain({ description: "A domain." }, "lab.example.org"))
      .register(z.globalRegistry, {
        description: "Domains that short names are looked up in.",
        examples: [["lab.example.org"]],
      })
      .optional(),
    ntp: oneOrMore(nameOrAddress({ description: "A time server." }))
      .register(z.globalRegistry, {
        description: "Time servers, one or a list. Left out: Talos's own choice, time.cloudflare.com.",
        examples: [[".1", "time.cloudflare.com"]],
      })
      .optional(),
    hosts: z
      .record(z.string().refine(isHostName), address({ description: "Its address.", examples: [".5"] }))
      .optional()
      .register(z.globalRegistry, {
        description: "Addresses of names that no DNS server knows.",
        examples: [{ "nas.lan": ".5" }],
      }),
    dhcp: yesOrNo({
      description:
        "Addresses are reserved at a DHCP server, for the MAC addresses of the nodes; the file says which. Nodes take the names offered there.",
    }).prefault(false),
    mtu: mtu("The MTU of the nodes' first NICs. Left out: 1500.").optional(),
    routes: routes("Ways to other networks, beside the one through the gateway."),
    bridge: bridge({
      description:
        "The bridge of the hosts that the nodes are plugged into. Left out: vmbr0 on Proxmox; on libvirt it is said here, or `libvirt` says what takes its place.",
      examples: ["vmbr0", "br0"],
    }).optional(),
    libvirt: libvirtNetwork.optional(),
    jump: jumpOver(
      jumpHost,
      "SSH hosts to go through to the nodes and to Kubernetes, one or a list, the nearest first. Left out: they are reached directly.",
    ),
    vlan: vlanTag("The VLAN tag of the nodes' NICs.", 14).optional(),
    trunks: trunks("VLANs that also pass the nodes' first NICs, tagged."),
    firewall: yesOrNo({
      description: "Whether the nodes' first NICs go through the hypervisor's firewall.",
    }).prefault(false),
    vip: address({
      description:
        "An address that always leads to a healthy control plane. Wanted with three or more of them.",
      examples: [".100"],
    }).optional(),
    cni: oneOf(
      {
        description:
          "Who connects pods: Talos's own flannel, or none until you install one. Left out: flannel, or the add-on that does it.",
      },
      ["flannel", "none"],
    ).optional(),
    kubeProxy: yesOrNo({
      description: "Whether kube-proxy leads to services. Left out: yes, unless an add-on takes its place.",
    }).optional(),
    podSubnets: subnets("Networks the pods get their addresses from.", "10.244.0.0/16"),
    serviceSubnets: subnets("Networks the services get their addresses from.", "10.96.0.0/12"),
    dnsDomain: domain(
      { description: "The domain of names inside of the cluster.", examples: ["cluster.local"] },
      "cluster.local",
    ).prefault("cluster.local"),
  })
  .register(z.globalRegistry, {
    id: "network",
    description: "How the nodes are reached and reach others.",
    examples: [{ cidr: "192.168.1.0/24" }],
  });
