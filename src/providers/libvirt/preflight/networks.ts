import { SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import { groupBy, readXml } from "../../../lib/index.ts";
import { failed, type Check, type CheckTitles, type Finding, type ReadContext } from "../../../plan/index.ts";
import { nicsOf, type Cluster, type Node } from "../../../spec/index.ts";
import { nicSource, type NicSource } from "../network/attachment.ts";
import { networkForeign, subnetInUse } from "../errors.ts";
import { findNetwork } from "../network/network.ts";
import { interfaceMissing, networkMissing, networkOtherCidr, networkStopped, notABridge } from "./errors.ts";
import { hostCheck, nodesMaybeHere, type HostView } from "./host-view.ts";

/** What cards are plugged into, and whose lines of the file name it. */
interface NamedSource extends NicSource {
  by: Node | Cluster;
}

/** One for each thing that cards are plugged into. */
export const networkChecks = (view: HostView): Check[] => {
  const { cluster } = view;
  const others = nodesMaybeHere(view).flatMap((node) =>
    nicsOf(cluster, node)
      .slice(1)
      .map((nic): NamedSource => ({ ...nicSource(cluster, nic), by: node })),
  );
  // Whoever names it first answers for it, and the cluster before its nodes.
  const sources = groupBy(
    [{ ...nicSource(cluster), by: cluster }, ...others],
    ({ kind, source }) => `${kind} ${source}`,
  );
  return [...sources.values()].flatMap(([source]) => {
    if (!source) return [];
    if (source.kind !== "network") return [interfaceCheck(view, source)];
    return cluster.network.libvirt?.kind === "create"
      ? [ownNetworkCheck(view, source.source)]
      : [networkCheck(view, source)];
  });
};

/** A bridge, or a card that is shared with the machines. */
const interfaceCheck = (view: HostView, { kind, source, by }: NamedSource): Check => {
  const titles: CheckTitles =
    kind === "bridge"
      ? ["Bridge exists", "Bridge is missing"]
      : ["Host interface exists", "Host interface is missing"];
  return hostCheck(view, "libvirt-interface", titles, async (ctx): Promise<Finding> => {
    const client = await view.client();
    const all = await interfacesOf(ctx, client);
    if (!all) return { status: "warned", needed: source, found: "this libvirt shows no interfaces" };
    const found = all.find(({ name }) => name === source);
    const shown = { needed: source, found: all.map(({ name }) => name).join(", ") };
    const bridges = all.filter(({ type }) => type === "bridge").map(({ name }) => name);
    if (!found) return failed(interfaceMissing({ host: view.host, kind, source, bridges, by }), shown);
    if (kind === "bridge" && found.type !== "bridge") {
      return failed(notABridge({ host: view.host, source, bridges, by }), shown);
    }
    return { status: "ok", needed: source, found: source };
  });
};

/** Undefined where libvirt was built without eyes for them. */
export async function interfacesOf(ctx: ReadContext, client: LibvirtClient) {
  try {
    return await Promise.all(
      (await client.interfaces(ctx.signal)).map(async (each) => {
        const { attributes } = readXml(await client.interfaceXml(each, ctx.signal));
        return { name: each.name, type: attributes["type"] ?? "" };
      }),
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "LIBVIRT_NOT_SUPPORTED") return undefined;
    throw thrown;
  }
}

const networkCheck = (view: HostView, { source: name, by }: NamedSource): Check =>
  hostCheck(
    view,
    "libvirt-network",
    ["Network is there and runs", "Network is missing or stopped"],
    async (ctx) => {
      const { host, cluster } = view;
      const client = await view.client();
      const seen = await findNetwork(ctx, client, name);
      if (!seen) {
        const known = (await client.networks(ctx.signal)).map((network) => network.name);
        return failed(networkMissing({ host, network: name, known, by }), {
          needed: name,
          found: known.join(", ") || "none",
        });
      }
      if (!seen.isActive)
        return failed(networkStopped({ host, network: name, by }), { needed: name, found: "stopped" });
      const { address } = seen.found;
      const cidr = address && `${address.address}/${address.prefix}`;
      if (cidr !== undefined && !sharesAddresses(cidr, cluster.network.cidr)) {
        const wanted = cluster.network.cidr;
        return failed(networkOtherCidr({ host, network: name, found: cidr, wanted, by }), {
          needed: wanted,
          found: cidr,
        });
      }
      return { status: "ok", needed: name, found: cidr ?? seen.found.mode };
    },
  );

/** The name is free or ours, and no other network has the addresses. */
const ownNetworkCheck = (view: HostView, name: string): Check =>
  hostCheck(view, "libvirt-network", ["Network can be made", "Network cannot be made"], async (ctx) => {
    const { host, cluster } = view;
    const { cidr } = cluster.network;
    const shown = { needed: `${name}, ${cidr}` };
    const client = await view.client();
    const networks = await client.networks(ctx.signal);
    const seen = await Promise.all(networks.map((each) => findNetwork(ctx, client, each.name)));
    const own = seen.find((each) => each?.found.name === name);
    const owner = own?.found.mark?.cluster;
    if (own && owner !== cluster.name) {
      const whose = owner === undefined ? {} : { owner };
      return failed(networkForeign({ host: host.name, network: name, ...whose }), shown);
    }
    const other = seen.find(
      (each) =>
        each?.isActive === true &&
        each.found.name !== name &&
        each.found.address !== undefined &&
        sharesAddresses(`${each.found.address.address}/${each.found.address.prefix}`, cidr),
    );
    if (other) {
      const by = `network "${other.found.name}"`;
      return failed(subnetInUse({ host: host.name, network: name, subnet: cidr, by }), shown);
    }
    return { status: "ok", ...shown, found: own ? "ours" : "nothing yet: it is made" };
  });

/** Whether two networks, each with an address in it and its bits, have addresses in common. */
export function sharesAddresses(one: string, other: string): boolean {
  const [a, b] = [parts(one), parts(other)];
  const size = 2 ** (32 - Math.min(a.prefix, b.prefix));
  return Math.floor(a.address / size) === Math.floor(b.address / size);
}

function parts(cidr: string): { address: number; prefix: number } {
  const [address = "", prefix = "32"] = cidr.split("/");
  return {
    address: address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0),
    prefix: Number(prefix),
  };
}
