import type { Call } from "../wire/connection.ts";
import { procedures } from "../wire/procedures.ts";

export interface Network {
  name: string;
  uuid: string;
}

const commands = { modify: 1, remove: 2, add: 3 } as const;
const dhcpHosts = 4;
const liveAndConfig = 3;
const knowsRightOrder = 16;

export interface NetworkCalls {
  networks(signal?: AbortSignal): Promise<Network[]>;
  findNetwork(name: string, signal?: AbortSignal): Promise<Network>;
  defineNetwork(xml: string, signal?: AbortSignal): Promise<Network>;
  startNetwork(of: Network, signal?: AbortSignal): Promise<void>;
  destroyNetwork(of: Network, signal?: AbortSignal): Promise<void>;
  undefineNetwork(of: Network, signal?: AbortSignal): Promise<void>;
  networkXml(of: Network, signal?: AbortSignal): Promise<string>;
  isNetworkActive(of: Network, signal?: AbortSignal): Promise<boolean>;
  setNetworkStartsWithHost(of: Network, isOn: boolean, signal?: AbortSignal): Promise<void>;
  /** Addresses that its DHCP server has given to a card, as far as they still hold. */
  leasedAddresses(of: Network, mac: string, signal?: AbortSignal): Promise<string[]>;
  /** Adds, changes or removes an address that DHCP keeps for a MAC. */
  changeReservation(
    of: Network,
    how: keyof typeof commands,
    hostXml: string,
    signal?: AbortSignal,
  ): Promise<void>;
}

export const networkCalls = (call: Call): NetworkCalls => ({
  networks: async (signal) =>
    (await call(procedures.listNetworks, { needResults: 1, flags: 0 }, "list networks", signal)).items,

  findNetwork: async (name, signal) =>
    (await call(procedures.findNetwork, { name }, `find network ${name}`, signal)).network,

  defineNetwork: async (xml, signal) =>
    (await call(procedures.defineNetwork, { xml }, "define a network", signal)).network,

  startNetwork: (of, signal) =>
    call(procedures.startNetwork, { network: of }, `start network ${of.name}`, signal),

  destroyNetwork: (of, signal) =>
    call(procedures.destroyNetwork, { network: of }, `stop network ${of.name}`, signal),

  undefineNetwork: (of, signal) =>
    call(procedures.undefineNetwork, { network: of }, `remove network ${of.name}`, signal),

  networkXml: async (of, signal) =>
    (await call(procedures.networkXml, { network: of, flags: 0 }, `read network ${of.name}`, signal)).text,

  isNetworkActive: async (of, signal) =>
    (await call(procedures.isNetworkActive, { network: of }, `look at network ${of.name}`, signal)).isOn,

  setNetworkStartsWithHost: (of, isOn, signal) =>
    call(procedures.setNetworkAutostart, { network: of, isOn }, `change network ${of.name}`, signal),

  async leasedAddresses(of, mac, signal) {
    const args = { network: of, mac, needResults: 1, flags: 0 };
    const doing = `read the leases of network ${of.name}`;
    const { items } = await call(procedures.networkLeases, args, doing, signal);
    return items.map(({ address }) => address);
  },

  async changeReservation(of, how, hostXml, signal) {
    const doing = `change the reservations of network ${of.name}`;
    // Daemons before 7.2 read the two numbers the other way round.
    const { supported } = await call(procedures.supportsFeature, { feature: knowsRightOrder }, doing, signal);
    const [command, section] = supported === 0 ? [dhcpHosts, commands[how]] : [commands[how], dhcpHosts];
    const args = { network: of, command, section, parent: -1, xml: hostXml, flags: liveAndConfig };
    await call(procedures.updateNetwork, args, doing, signal);
  },
});
