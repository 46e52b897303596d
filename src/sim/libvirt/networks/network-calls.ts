import { procedures } from "../../../clients/libvirt/wire/index.ts";
import type { SimHost } from "../host.ts";
import { invalidArgument } from "../refusal.ts";
import { printed } from "../xml.ts";
import { served, type ServedCall } from "../wire/call.ts";
import {
  bridgeOf,
  defineNetwork,
  demandActiveNetwork,
  findNetwork,
  networkNamed,
  startNetwork,
  stopNetwork,
  updateReservations,
} from "./networks.ts";

const dhcpHosts = 4;

const refOf = ({ name, uuid }: { name: string; uuid: string }) => ({ name, uuid });

/** Of networks and pools, 1 asks for those that do not run and 2 for those that do: without either, all. */
export const isAskedFor =
  (flags: number) =>
  ({ isActive }: { isActive: boolean }): boolean =>
    (flags & 3) === 0 || (flags & (isActive ? 2 : 1)) !== 0;

export const networkCalls: ServedCall[] = [
  served("CONNECT_LIST_ALL_NETWORKS", procedures.listNetworks, ({ host }, { flags }) => {
    const items = Object.values(host.state.networks).filter(isAskedFor(flags)).map(refOf);
    return { items, count: items.length };
  }),
  served("NETWORK_LOOKUP_BY_NAME", procedures.findNetwork, ({ host }, { name }) => ({
    network: refOf(networkNamed(host, name)),
  })),
  served("NETWORK_DEFINE_XML", procedures.defineNetwork, ({ host }, { xml }) => ({
    network: refOf(defineNetwork(host, xml)),
  })),
  served("NETWORK_CREATE", procedures.startNetwork, ({ host }, { network }) =>
    startNetwork(host, findNetwork(host, network)),
  ),
  served("NETWORK_DESTROY", procedures.destroyNetwork, ({ host }, { network }) =>
    stopNetwork(host, findNetwork(host, network)),
  ),
  served("NETWORK_UNDEFINE", procedures.undefineNetwork, ({ host }, { network }) => {
    delete host.state.networks[findNetwork(host, network).uuid];
    host.changed();
  }),
  served("NETWORK_GET_XML_DESC", procedures.networkXml, ({ host }, { network }) => ({
    text: printed(findNetwork(host, network).xml),
  })),
  served("NETWORK_SET_AUTOSTART", procedures.setNetworkAutostart, ({ host }, { network, isOn }) => {
    findNetwork(host, network).startsWithHost = isOn;
    host.changed();
  }),
  served("NETWORK_IS_ACTIVE", procedures.isNetworkActive, ({ host }, { network }) => ({
    isOn: findNetwork(host, network).isActive,
  })),
  served("NETWORK_UPDATE", procedures.updateNetwork, ({ host }, { network, command, section, xml }) => {
    if (section !== dhcpHosts)
      throw invalidArgument(
        "network",
        `the simulated network changes its DHCP hosts only, not section ${section}`,
      );
    updateReservations(host, findNetwork(host, network), command, xml);
  }),
  served("NETWORK_GET_DHCP_LEASES", procedures.networkLeases, ({ host }, { network, mac }) => {
    const found = findNetwork(host, network);
    demandActiveNetwork(found);
    const items = leasesIn(host, found.name, bridgeOf(found.xml) ?? "", mac);
    return { items, count: items.length };
  }),
];

const leasesIn = (host: SimHost, network: string, bridge: string, mac: string | undefined) =>
  Object.entries(host.state.given)
    .filter(([card, given]) => given.network === network && (mac === undefined || card === mac.toLowerCase()))
    .map(([card, { cidr, hostname, expiry }]) => ({
      interface: bridge,
      expiry,
      family: 0,
      mac: card,
      iaid: undefined,
      address: cidr.split("/")[0] ?? "",
      prefix: Number(cidr.split("/")[1]),
      hostname,
      clientId: `01:${card}`,
    }));
