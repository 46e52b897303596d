import type { MachineChange, MachineConfig } from "../../clients/proxmox/index.ts";
import type { Consequence, FieldChange } from "../../plan/index.ts";
import type { MachineCard } from "../../spec/index.ts";
import { properties } from "./property-text.ts";

/** A card beside the first one, as Proxmox tells it. */
export interface FoundCard extends MachineCard {
  /** 1 for net1. */
  slot: number;
}

export const networkCard = ({ mac, bridge, vlan, mtu }: MachineCard): string =>
  [
    `virtio=${mac.toUpperCase()}`,
    `bridge=${bridge}`,
    ...(vlan === undefined ? [] : [`tag=${vlan}`]),
    ...(mtu === undefined ? [] : [`mtu=${mtu}`]),
  ].join(",");

export function readCard(config: MachineConfig, slot: number): MachineCard {
  const net = properties(config[`net${slot}`] ?? "");
  const [vlan, mtu] = [net.get("tag"), net.get("mtu")];
  const address = properties(config[`ipconfig${slot}`] ?? "").get("ip");
  return {
    mac: (net.get("virtio") ?? net.get("macaddr") ?? "").toLowerCase(),
    bridge: net.get("bridge") ?? "",
    ...(vlan !== undefined && { vlan: Number(vlan) }),
    ...(mtu !== undefined && { mtu: Number(mtu) }),
    ...(address !== undefined && { address }),
  };
}

export const readFurtherCards = (config: MachineConfig): FoundCard[] =>
  Object.keys(config)
    .flatMap((key) => /^net([1-9]\d*)$/.exec(key)?.[1] ?? [])
    .map((slot) => ({ slot: Number(slot), ...readCard(config, Number(slot)) }))
    .toSorted((a, b) => a.slot - b.slot);

/** What makes a machine have these cards beside the first one. */
export const furtherCards = (cards: readonly MachineCard[]): MachineChange =>
  Object.assign({}, ...cards.map((card, index) => cardInSlot(card, index + 1))) as MachineChange;

/** Cards without an address have no `ipconfig`: their links are told what to do by the machine config alone. */
const cardInSlot = (card: MachineCard, slot: number): MachineChange => ({
  [`net${slot}`]: networkCard(card),
  ...(card.address !== undefined && { [`ipconfig${slot}`]: `ip=${card.address}` }),
});

/** The changes that put the cards right; what goes is to be asked for before what comes. */
export function changedCards(
  wanted: readonly MachineCard[],
  found: readonly FoundCard[],
): { removed: MachineChange; set: MachineChange } {
  const gone = found
    .filter(({ slot }) => slot > wanted.length)
    .flatMap(({ slot }) => [`net${slot}`, `ipconfig${slot}`]);
  const bare = wanted.flatMap((card, index) =>
    card.address === undefined && cardAt(found, index + 1)?.address !== undefined
      ? [`ipconfig${index + 1}`]
      : [],
  );
  const other = wanted
    .map((card, index) => ({ card, slot: index + 1 }))
    .filter(({ card, slot }) => compareCard(card, cardAt(found, slot), slot).length > 0);
  const removed = [...gone, ...bare];
  return {
    removed: removed.length === 0 ? {} : { delete: removed.join(",") },
    set: Object.assign({}, ...other.map(({ card, slot }) => cardInSlot(card, slot))) as MachineChange,
  };
}

const cardAt = (found: readonly FoundCard[], slot: number): FoundCard | undefined =>
  found.find((card) => card.slot === slot);

export type CardDifference = FieldChange & { consequence: Consequence };

export const compareCards = (
  wanted: readonly MachineCard[],
  found: readonly FoundCard[],
): CardDifference[] => [
  ...wanted.flatMap((card, index) => compareCard(card, cardAt(found, index + 1), index + 1)),
  ...found
    .filter(({ slot }) => slot > wanted.length)
    .map((card) => ({
      field: name(card.slot),
      from: shown(card),
      to: "none",
      consequence: "reboot" as const,
    })),
];

/** People count cards from one; Proxmox's net1 is the second. */
const name = (slot: number): string => `card ${slot + 1}`;

function compareCard(wanted: MachineCard, found: FoundCard | undefined, slot: number): CardDifference[] {
  const to = shown(wanted);
  if (!found) return [{ field: name(slot), from: "none", to, consequence: "hot" }];
  const from = shown(found);
  const isSame = from === to && wanted.mac.toLowerCase() === found.mac;
  if (isSame) return [];
  // Another MAC or MTU means another card to the guest, and what is taken away stays until it stops.
  const isOther =
    wanted.mac.toLowerCase() !== found.mac ||
    wanted.mtu !== found.mtu ||
    (wanted.address === undefined && found.address !== undefined);
  const mac = from === to ? [`, ${found.mac}`, `, ${wanted.mac}`] : ["", ""];
  return [
    {
      field: name(slot),
      from: `${from}${mac[0]}`,
      to: `${to}${mac[1]}`,
      consequence: isOther ? "reboot" : "hot",
    },
  ];
}

/** `vmbr1, VLAN 30, MTU 9000, 10.30.0.11/24`. */
const shown = ({ bridge, vlan, mtu, address }: MachineCard): string =>
  [
    bridge,
    ...(vlan === undefined ? [] : [`VLAN ${vlan}`]),
    ...(mtu === undefined ? [] : [`MTU ${mtu}`]),
    ...(address === undefined ? [] : [address]),
  ].join(", ");
