import type { Network } from "../../../clients/proxmox/index.ts";
import { failed, type Check } from "../../../plan/index.ts";
import { cardsOf, type MachineCard } from "../../../spec/index.ts";
import { bridgeMissing, bridgeWithoutPort, bridgeWithoutVlans } from "./errors.ts";
import { hostCheck, isHidden, rightsCheckId, type HostView } from "./host-view.ts";

/** The cards of the nodes that may come to this host. */
export function cardsHere(view: HostView): MachineCard[] {
  const nodes = view.isUndecided ? view.cluster.nodes : view.placed.map(({ node }) => node);
  return nodes.flatMap((node) => cardsOf(view.cluster, node));
}

export const bridgesHere = (view: HostView): string[] => [
  ...new Set(cardsHere(view).map((card) => card.bridge)),
];

export const bridgeCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-bridge", "Bridge exists", async (ctx) => {
    const needed = bridgesHere(view);
    const known = (await view.networks(ctx.signal)).map((network) => network.name);
    const bridge = needed.find((name) => !known.includes(name));
    const path = `/sdn/zones/localnetwork/${bridge ?? ""}`;
    if (bridge !== undefined && (await isHidden(view, path, "SDN.", ctx.signal))) {
      return { status: "skipped", needed: needed.join(", "), because: rightsCheckId };
    }
    return bridge === undefined
      ? { status: "ok", needed: needed.join(", "), found: needed.join(", ") }
      : failed(bridgeMissing({ host: view.host, bridge, known }), {
          needed: needed.join(", "),
          found: known.join(", "),
        });
  });

/** Proxmox finds out about tags only when it starts the machine, and then says nothing but "exited with code 1". */
export const vlanCheck = (view: HostView): Check[] => {
  const tagged = cardsHere(view).filter((card) => tagsOf(card).length > 0);
  if (tagged.length === 0) return [];
  return [
    hostCheck(view, "proxmox-vlan", "Bridge takes VLAN tags", async (ctx) => {
      const known = await view.networks(ctx.signal);
      const needed = [...new Set(tagged.map(tagWords))].join("; ");
      for (const card of tagged) {
        const network = known.find((each) => each.name === card.bridge);
        if (!network) return { status: "skipped", needed, because: "proxmox-bridge" };
        const error = refusalOf(view, card, network);
        if (error) return failed(error, { needed });
      }
      return { status: "ok", needed, found: "yes" };
    }),
  ];
};

function refusalOf(view: HostView, card: MachineCard, network: Network) {
  const facts = { host: view.host, bridge: card.bridge, tags: tagsOf(card) };
  if (network.isVlanAware) return undefined;
  if ((card.trunks ?? []).length > 0 || network.kind === "vnet") return bridgeWithoutVlans(facts);
  return network.hasPort ? undefined : bridgeWithoutPort(facts);
}

const tagsOf = (card: MachineCard): number[] => [
  ...(card.vlan === undefined ? [] : [card.vlan]),
  ...(card.trunks ?? []),
];

const tagWords = (card: MachineCard): string => `VLAN ${tagsOf(card).join(", ")} on ${card.bridge}`;
