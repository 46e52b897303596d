import type { YamlValue } from "../../../../lib/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { unlessEmpty } from "../config-values.ts";
import { writes, type Contract } from "../contract.ts";
import type { MachineIntent } from "../machine-intent.ts";
import type { BondIntent, LinkIntent, LinkSettings, RouteIntent } from "../network-intent.ts";

/** `machine.network` before contract 1.12; what is left of it in 1.12. */
export function networkSection(intent: MachineIntent, contract: Contract): YamlValue {
  const kubespan =
    intent.cluster.hasKubeSpan && !writes.kubeSpanDocument(contract) ? { enabled: true } : undefined;
  const { network, hostname } = intent;
  const isLegacy = !writes.networkDocuments(contract);
  if (!kubespan && (!isLegacy || (!network && hostname === undefined)))
    return writes.emptyNetwork(contract) ? {} : undefined;
  if (!isLegacy) return { kubespan };
  const isControlPlane = intent.role === "control-plane";
  return {
    hostname,
    interfaces: unlessEmpty(network?.links.map((link) => networkInterface(link, contract, isControlPlane))),
    nameservers: unlessEmpty(network?.dns),
    searchDomains: unlessEmpty(network?.searchDomains),
    extraHostEntries: unlessEmpty(
      Object.entries(network?.hosts ?? {}).map(([ip, aliases]) => ({ ip, aliases })),
    ),
    kubespan,
  };
}

export const timeSection = (intent: MachineIntent, contract: Contract): YamlValue =>
  intent.network?.ntp?.length && !writes.networkDocuments(contract)
    ? { servers: intent.network.ntp }
    : undefined;

const networkInterface = (
  link: LinkIntent,
  contract: Contract,
  isControlPlane: boolean,
): MachineConfigDocument => ({
  ...("bond" in link
    ? { interface: link.bond.name, bond: bondSection(link.bond, contract) }
    : { deviceSelector: { hardwareAddr: link.mac.toLowerCase() } }),
  ...settings(link, isControlPlane),
  vlans: unlessEmpty(link.vlans?.map((vlan) => ({ vlanId: vlan.id, ...settings(vlan, isControlPlane) }))),
});

const bondSection = (bond: BondIntent, contract: Contract): MachineConfigDocument => ({
  deviceSelectors: bond.macs.map((mac) =>
    writes.permanentAddress(contract)
      ? { permanentAddr: mac.toLowerCase() }
      : { hardwareAddr: mac.toLowerCase(), physical: true },
  ),
  mode: bond.mode,
  lacpRate: bond.lacpRate,
  xmitHashPolicy: bond.xmitHashPolicy,
  miimon: bond.miimonMs,
});

const settings = (link: LinkSettings, isControlPlane: boolean): MachineConfigDocument => ({
  addresses: unlessEmpty(link.addresses),
  routes: unlessEmpty(link.routes?.map(route)),
  mtu: link.mtu,
  dhcp: link.dhcp !== undefined,
  dhcpOptions: link.dhcp?.routeMetric === undefined ? undefined : { routeMetric: link.dhcp.routeMetric },
  vip: isControlPlane && link.vip !== undefined ? { ip: link.vip } : undefined,
});

const route = ({ gateway, destination, metric }: RouteIntent): MachineConfigDocument => ({
  network: destination ?? (gateway.includes(":") ? "::/0" : "0.0.0.0/0"),
  gateway,
  metric,
});
