import type { YamlValue } from "../lib/index.ts";

interface LinkSettings {
  addresses?: string[] | undefined;
  routes?: { gateway: string; destination?: string | undefined; metric?: number | undefined }[] | undefined;
  mtu?: number | undefined;
  dhcp?: { routeMetric?: number | undefined } | undefined;
  vip?: string | undefined;
}

/** A network card known by its MAC, or several joined to one. */
export type TalhelperLink = (
  | { mac: string }
  | {
      bond: {
        name: string;
        macs: string[];
        mode: string;
        lacpRate?: string | undefined;
        xmitHashPolicy?: string | undefined;
        miimonMs?: number | undefined;
      };
    }
) &
  LinkSettings & { vlans?: ({ id: number } & LinkSettings)[] | undefined };

/** A link as talhelper's `networkInterfaces` has it, which is Talos's older form. */
export const networkInterface = (link: TalhelperLink): YamlValue => ({
  ...("mac" in link
    ? { deviceSelector: { hardwareAddr: link.mac } }
    : { interface: link.bond.name, bond: bondSettings(link.bond) }),
  ...settings(link),
  vlans: link.vlans?.map((vlan) => ({ vlanId: vlan.id, ...settings(vlan) })),
});

const bondSettings = (bond: Extract<TalhelperLink, { bond: unknown }>["bond"]): YamlValue => ({
  // Joined cards all show the same address; the one they were made with stays apart.
  deviceSelectors: bond.macs.map((mac) => ({ permanentAddr: mac })),
  mode: bond.mode,
  xmitHashPolicy: bond.xmitHashPolicy,
  lacpRate: bond.lacpRate,
  miimon: bond.miimonMs,
});

const settings = (link: LinkSettings): { [key: string]: YamlValue } => ({
  dhcp: link.dhcp !== undefined,
  dhcpOptions: link.dhcp?.routeMetric === undefined ? undefined : { routeMetric: link.dhcp.routeMetric },
  mtu: link.mtu,
  addresses: link.addresses,
  routes: link.routes?.map(({ destination, gateway, metric }) => ({
    network: destination ?? (gateway.includes(":") ? "::/0" : "0.0.0.0/0"),
    gateway,
    metric,
  })),
  vip: link.vip === undefined ? undefined : { ip: link.vip },
});
