import { countedFrom, macCountedFrom, nodeMac, resolveAddress } from "../values/addresses.ts";
import { given, unlessEmpty } from "../../lib/index.ts";
import { type Cidr, formatCidr, formatIpv4, networkOf } from "../values/ipv4.ts";
import type { WrittenNic, WrittenRoute, WrittenVlan } from "../schema/links.ts";
import type { Link, Nic, Route, Vlan } from "../model/network.ts";

/** Whose links they are. `number` is 1 where an address is the node's own and not counted from the pool's first. */
interface Owner {
  cluster: string;
  pool: string;
  index: number;
  number: number;
}

export const completeRoutes = (
  written: readonly WrittenRoute[] | undefined,
  cidr: Cidr | undefined,
): Route[] | undefined =>
  unlessEmpty(
    written?.map(({ to, via, metric }) =>
      given({
        to: to && formatCidr(to),
        via: formatIpv4(resolveAddress(cidr ?? { base: 0, prefix: 0 }, via) ?? 0),
        metric,
      }),
    ),
  );

export const completeVlans = (
  written: readonly WrittenVlan[] | undefined,
  owner: Owner,
): Vlan[] | undefined => unlessEmpty(written?.map((vlan) => ({ id: vlan.id, ...completeLink(vlan, owner) })));

export function completeNics(written: readonly WrittenNic[] | undefined, owner: Owner): Nic[] | undefined {
  let port = 0;
  return unlessEmpty(
    written?.map((nic): Nic => {
      const { bridge, vlan, bond } = nic;
      const plugged = (to: string, mac?: string) => {
        const made = nodeMac(owner.cluster, `${owner.pool}/net${++port}`, owner.index);
        return given({
          mac: mac ?? made,
          bridge: to,
          vlan,
          trunks: unlessEmpty(nic.trunks),
          isFirewalled: nic.firewall ? (true as const) : undefined,
        });
      };
      const first = plugged(
        bridge,
        nic.mac === undefined ? undefined : macCountedFrom(nic.mac, owner.number),
      );
      return {
        ...first,
        ...completeLink(nic, owner),
        ...given({
          vlans: completeVlans(nic.vlans, owner),
          bond: bond && {
            ...given({ mode: bond.mode, lacpRate: bond.lacpRate, hashPolicy: bond.hashPolicy }),
            with: bond.bridges.map((to) => plugged(to)),
          },
        }),
      };
    }),
  );
}

function completeLink(written: Omit<WrittenVlan, "id">, { number }: Owner): Link {
  const { address, dhcp, mtu, routes } = written;
  const own = address && { base: countedFrom(address.base, number), prefix: address.prefix };
  return given({
    address: own && `${formatIpv4(own.base)}/${own.prefix}`,
    isDhcp: dhcp === true ? (true as const) : undefined,
    mtu,
    routes: completeRoutes(routes, address && networkOf(address)),
  });
}
