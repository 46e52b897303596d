import { configDocument, type MachineConfigDocument } from "../config-document.ts";
import { unlessEmpty } from "../config-values.ts";
import { writes, type Contract } from "../contract.ts";
import type { MachineIntent } from "../machine-intent.ts";
import type { BondIntent, LinkIntent, LinkSettings, NetworkIntent, RouteIntent } from "../network-intent.ts";

/** `auto: "off"` must stand beside the name: alone, a name collides with the generated `auto: stable`. */
export const hostnameDocument = (intent: MachineIntent, contract: Contract): MachineConfigDocument[] =>
  writes.networkDocuments(contract)
    ? [
        configDocument(
          "HostnameConfig",
          intent.hostname === undefined ? { auto: "stable" } : { auto: "off", hostname: intent.hostname },
        ),
      ]
    : [];

/** Links, their addresses and what hangs on them, in the documents of 1.12 and later. */
export function linkDocuments(intent: MachineIntent, contract: Contract): MachineConfigDocument[] {
  const { network } = intent;
  if (!network || !writes.networkDocuments(contract)) return [];
  const names = aliases(network);
  const isControlPlane = intent.role === "control-plane";
  return [
    ...network.links.flatMap((link) => documentsOf(link, names, isControlPlane)),
    ...(network.ntp?.length ? [configDocument("TimeSyncConfig", { ntp: { servers: network.ntp } })] : []),
    ...Object.entries(network.hosts ?? {}).map(([name, hostnames]) =>
      configDocument("StaticHostConfig", { name, hostnames }),
    ),
  ];
}

/** Our own names for the NICs, by MAC. The kernel's names depend on the image. */
function aliases(network: NetworkIntent): Map<string, string> {
  const macs = network.links.flatMap((link) => ("bond" in link ? link.bond.macs : [link.mac]));
  return new Map(macs.map((mac, index) => [mac.toLowerCase(), `net${index}`]));
}

function documentsOf(
  link: LinkIntent,
  names: Map<string, string>,
  isControlPlane: boolean,
): MachineConfigDocument[] {
  const macs = ("bond" in link ? link.bond.macs : [link.mac]).map((mac) => mac.toLowerCase());
  const members = macs.map((mac) => names.get(mac) ?? mac);
  const name = "bond" in link ? link.bond.name : (members[0] ?? "");
  return [
    ...macs.map((mac, index) =>
      configDocument("LinkAliasConfig", {
        name: members[index],
        selector: { match: linkWith(mac) },
      }),
    ),
    "bond" in link
      ? configDocument("BondConfig", { name, ...bondOptions(link.bond, members), ...settings(link) })
      : configDocument("LinkConfig", { name, ...settings(link) }),
    ...companions(name, link, isControlPlane),
    ...(link.vlans ?? []).flatMap((vlan) => {
      const vlanName = `${name}.${vlan.id}`;
      return [
        configDocument("VLANConfig", { name: vlanName, vlanID: vlan.id, parent: name, ...settings(vlan) }),
        ...companions(vlanName, vlan, isControlPlane),
      ];
    }),
  ];
}

/**
 * The address that a NIC was made with, since members of a bond and links above a NIC show the same current one. A link
 * into a container has no such address, so there the current one counts.
 */
export const linkWith = (mac: string): string =>
  `mac(link.permanent_addr) == "${mac}" || ` +
  `(size(link.permanent_addr) == 0 && link.kind in ["", "veth", "macvlan"] && mac(link.hardware_addr) == "${mac}")`;

/** What stands in documents beside the link's own: DHCP and the shared address, which only control planes hold. */
const companions = (
  link: string,
  settings: LinkSettings,
  isControlPlane: boolean,
): MachineConfigDocument[] => [
  ...(settings.dhcp
    ? [
        configDocument("DHCPv4Config", {
          name: link,
          routeMetric: settings.dhcp.routeMetric,
          ignoreHostname: settings.dhcp.isHostnameIgnored,
        }),
      ]
    : []),
  ...(settings.vip !== undefined && isControlPlane
    ? [configDocument("Layer2VIPConfig", { name: settings.vip, link })]
    : []),
];

const settings = (link: LinkSettings): MachineConfigDocument => ({
  up: true,
  mtu: link.mtu,
  addresses: unlessEmpty(link.addresses?.map((address) => ({ address }))),
  routes: unlessEmpty(
    link.routes?.map(({ destination, gateway, metric }: RouteIntent) => ({ destination, gateway, metric })),
  ),
});

const bondOptions = (bond: BondIntent, links: string[]): MachineConfigDocument => ({
  links,
  bondMode: bond.mode,
  lacpRate: bond.lacpRate,
  xmitHashPolicy: bond.xmitHashPolicy,
  miimon: bond.miimonMs,
});

/** From 1.14 the document also holds the node's own DNS cache and is always there. */
export function resolverDocuments(intent: MachineIntent, contract: Contract): MachineConfigDocument[] {
  const { dns = [], searchDomains = [] } = intent.network ?? {};
  const hasHostDns = writes.kubernetesDocuments(contract);
  if (!writes.networkDocuments(contract) || !(dns.length || searchDomains.length || hasHostDns)) return [];
  return [
    configDocument("ResolverConfig", {
      nameservers: unlessEmpty(dns.map((address) => ({ address }))),
      searchDomains: searchDomains.length ? { domains: searchDomains } : undefined,
      hostDNS: hasHostDns ? { enabled: true, forwardKubeDNSToHost: true } : undefined,
    }),
  ];
}
