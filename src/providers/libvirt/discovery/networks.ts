import { SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import { allAt, readXml } from "../../../lib/index.ts";
import type { DiscoveredNetwork } from "../../../plan/index.ts";
import { findNetwork } from "../network/network.ts";

type Offered = Omit<DiscoveredNetwork, "takesVlans">;

export interface FoundNetworks {
  offered: Offered[];
  /** The host's own addresses in them. */
  taken: string[];
}

/** Bridges of the host first: machines on them are like any other in the network. Then a network made for the cluster. */
export async function networksOn(client: LibvirtClient, signal: AbortSignal): Promise<FoundNetworks> {
  const names = (await client.networks(signal)).map(({ name }) => name);
  const found = (await Promise.all(names.map((name) => findNetwork({ signal }, client, name)))).flatMap(
    (seen) => seen ?? [],
  );
  const own = new Set(found.flatMap(({ found: { bridge } }) => bridge ?? []));
  const bridges = (await bridgesOf(client, signal)).filter(({ name }) => !own.has(name));
  const running = found.flatMap(({ found: network, isActive }): Offered[] =>
    isActive && network.address && network.mode !== "isolated"
      ? [
          {
            name: network.name,
            label: `${network.name}, a network of libvirt${network.dhcp ? `, whose DHCP gives out ${network.dhcp.start} to ${network.dhcp.end}` : ""}`,
            cidr: `${network.address.address}/${network.address.prefix}`,
            gateway: network.address.address,
            lines: [`libvirt: { network: ${network.name} }`],
          },
        ]
      : [],
  );
  const cidrs = [...bridges.flatMap(({ cidr }) => cidr ?? []), ...running.flatMap(({ cidr }) => cidr ?? [])];
  return {
    offered: [...bridges, newNetwork(cidrs), ...running],
    taken: cidrs.flatMap((cidr) => cidr.split("/")[0] ?? []),
  };
}

const newNetwork = (cidrs: string[]): Offered => {
  const isTaken = (second: number): boolean => cidrs.some((cidr) => cidr.startsWith(`10.${second}.`));
  let second = 77;
  while (isTaken(second)) second++;
  return {
    name: "nat",
    label: "a network of its own, made for the cluster, that reaches the outside through the host",
    cidr: `10.${second}.0.0/24`,
    gateway: `10.${second}.0.1`,
    lines: ["libvirt: { create: nat } # made for the cluster; the host itself is the gateway"],
    isNew: true,
  };
};

/** None where libvirt was built without eyes for them. */
async function bridgesOf(client: LibvirtClient, signal: AbortSignal): Promise<Offered[]> {
  try {
    const all = await client.interfaces(signal);
    const read = await Promise.all(all.map(async (each) => readXml(await client.interfaceXml(each, signal))));
    return read
      .filter(({ attributes }) => attributes["type"] === "bridge")
      .map((bridge): Offered => {
        const name = bridge.attributes["name"] ?? "";
        const ip = allAt(bridge, "protocol", "ip").find(({ attributes }) =>
          (attributes["address"] ?? "").includes("."),
        )?.attributes;
        const cidr = ip && `${ip["address"]}/${ip["prefix"] ?? "24"}`;
        return {
          name,
          label: ["bridge", name, cidr ?? []].flat().join(" "),
          cidr,
          lines: [`bridge: ${name}`],
        };
      })
      .filter(({ name }) => name !== "");
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "LIBVIRT_NOT_SUPPORTED") return [];
    throw thrown;
  }
}
