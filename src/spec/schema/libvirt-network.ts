import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { textField, yesOrNo } from "./fields/field.ts";
import { bridge } from "./fields/link-fields.ts";
import type { LibvirtNetwork } from "../model/network.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { oneOf } from "./fields/one-of.ts";

export const libvirtNetwork = lazy(() =>
  oneKeyOf(
    z.strictObject({
      network: textField(
        { description: "A network of libvirt that exists on the hosts.", examples: ["default"] },
        {
          pattern: /^[^\s/](?:[^\n/]*[^\s/])?$/,
          code: "SPEC_BAD_NAME",
          isNot: "the name of a network",
          next: 'Write it as "virsh net-list --all" shows it, like default',
        },
      ).optional(),
      create: oneOf(
        {
          description:
            "A network made for the cluster, named after it, and removed with it. `nat`: machines reach the outside through the host. `routed`: without translation, so others need a route to it. `isolated`: they reach each other and the host. The host has the gateway's address.",
        },
        ["nat", "isolated", "routed"],
      ).optional(),
      dhcp: yesOrNo({
        description:
          "With `create`: libvirt's DHCP server keeps the nodes' addresses for them. Left out: only when the nodes are to ask for them.",
      }).optional(),
      macvtap: bridge({
        description:
          "A network interface of the hosts, shared with their machines. The machines reach the network, but not the host itself.",
        examples: ["enp3s0"],
      }).optional(),
    }),
    "network, create or macvtap",
    ["dhcp"],
  ).register(z.globalRegistry, {
    id: "libvirtNetwork",
    description: "On libvirt hosts: what the nodes are plugged into instead of a bridge of the hosts.",
    examples: [{ create: "nat" }, { network: "default" }, { macvtap: "enp3s0" }],
  }),
);

/** As the model holds it. The schema lets exactly one through. */
export function completeLibvirtNetwork(
  cluster: string,
  written: z.output<typeof libvirtNetwork> | undefined,
  isAsked: boolean,
): LibvirtNetwork | undefined {
  if (!written) return undefined;
  const { network, create, macvtap, dhcp = isAsked } = written;
  if (network !== undefined) return { kind: "network", name: network };
  if (macvtap !== undefined) return { kind: "macvtap", device: macvtap };
  return {
    kind: "create",
    name: cluster,
    mode: create ?? "nat",
    hasReservations: dhcp ? true : undefined,
  };
}
