import type { Network } from "../../../clients/proxmox/index.ts";
import { failed, type Check } from "../../../plan/index.ts";
import { nicsOf, type Cluster, type MachineNic, type Node } from "../../../spec/index.ts";
import { bridgeMissing, bridgeWithoutPort, bridgeWithoutVlans } from "./errors.ts";
import { hostCheck, isHidden, rightsCheckId, type HostView } from "./host-view.ts";

/** The cards of the nodes that may come to this host. */
export function nicsHere(view: HostView): MachineNic[] {
  const nodes = view.isUndecided ? view.cluster.nodes : view.placed.map(({ node }) => node);
  return nodes.flatMap((node) => nicsOf(view.cluster, node));
}

export const bridgesHere = (view: HostView): string[] => [
  ...new Set(nicsHere(view).map((nic) => nic.bridge)),
];

export const bridgeCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-bridge", ["Bridge exists", "Bridge is missing"], async (ctx) => {
    const needed = bridgesHere(view);
    const known = (await view.networks(ctx.signal)).map((network) => network.name);
    const bridge = needed.find((name) => !known.includes(name));
    const path = `/sdn/zones/localnetwork/${bridge ?? ""}`;
    if (bridge !== undefined && (await isHidden(view, path, "SDN.", ctx.signal))) {
      return { status: "skipped", needed: needed.join(", "), because: rightsCheckId };
    }
    return bridge === undefined
      ? { status: "ok", needed: needed.join(", "), found: needed.join(", ") }
      : failed(bridgeMissing({ host: view.host, bridge, known, by: namerOf(view, bridge) }), {
          needed: needed.join(", "),
          found: known.join(", "),
        });
  });

/** Whose lines name the bridge: NICs of a node, or the network of the cluster. */
const namerOf = ({ cluster }: HostView, bridge: string): Node | Cluster =>
  (bridge === cluster.network.bridge
    ? undefined
    : cluster.nodes.find((node) => nicsOf(cluster, node).some((nic) => nic.bridge === bridge))) ?? cluster;

/** Proxmox finds out about tags only when it starts the machine, and then says nothing but "exited with code 1". */
export const vlanCheck = (view: HostView): Check[] => {
  const tagged = nicsHere(view).filter((nic) => tagsOf(nic).length > 0);
  if (tagged.length === 0) return [];
  return [
    hostCheck(view, "proxmox-vlan", ["Bridge takes VLAN tags", "Bridge takes no VLAN tags"], async (ctx) => {
      const known = await view.networks(ctx.signal);
      const needed = [...new Set(tagged.map(tagText))].join("; ");
      for (const nic of tagged) {
        const network = known.find((each) => each.name === nic.bridge);
        if (!network) return { status: "skipped", needed, because: "proxmox-bridge" };
        const error = refusalOf(view, nic, network);
        if (error) return failed(error, { needed });
      }
      return { status: "ok", needed, found: "yes" };
    }),
  ];
};

function refusalOf(view: HostView, nic: MachineNic, network: Network) {
  const facts = { host: view.host, bridge: nic.bridge, tags: tagsOf(nic) };
  if (network.isVlanAware) return undefined;
  if ((nic.trunks ?? []).length > 0 || network.kind === "vnet") return bridgeWithoutVlans(facts);
  return network.hasPort ? undefined : bridgeWithoutPort(facts);
}

const tagsOf = (nic: MachineNic): number[] => [
  ...(nic.vlan === undefined ? [] : [nic.vlan]),
  ...(nic.trunks ?? []),
];

const tagText = (nic: MachineNic): string => `VLAN ${tagsOf(nic).join(", ")} on ${nic.bridge}`;
