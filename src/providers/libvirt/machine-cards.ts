import { allAt, element, firstAt, writeXml, type XmlElement, type XmlPiece } from "../../lib/index.ts";
import { portUuid } from "./names.ts";

/** What a card is plugged into: a bridge of the host, a network of libvirt, or one of the host's own cards. */
export type CardKind = "bridge" | "network" | "macvtap";

export interface MachineCard {
  mac: string;
  kind: CardKind;
  source: string;
  /** The bridge is one of Open vSwitch, without which most versions of libvirt refuse VLANs. */
  isOpenVswitch?: true;
  /** What the guest sends without a tag belongs to it. */
  vlan?: number;
  /** VLANs that pass with their tags. */
  trunks?: number[];
  mtu?: number;
}

/** A card as libvirt tells it. */
export interface FoundCard extends MachineCard {
  /** Absent: virtio, the only one that is asked for. */
  model?: string;
}

const types = { bridge: "bridge", network: "network", macvtap: "direct" } as const;

/** What plugs a card into a machine that is there, or out of it. */
export const cardXml = (card: MachineCard): string => writeXml(cardPiece(card));

export const cardPiece = (card: MachineCard): XmlPiece =>
  element("interface", { type: types[card.kind] }, [
    // Without it libvirt makes one up, and another one the next time.
    element("mac", { address: card.mac.toLowerCase() }),
    sourcePiece(card),
    vlanPiece(card),
    card.isOpenVswitch && portPiece(card.mac),
    element("model", { type: "virtio" }),
    card.mtu !== undefined && element("mtu", { size: card.mtu }),
  ]);

const sourcePiece = ({ kind, source }: MachineCard): XmlPiece =>
  kind === "macvtap"
    ? element("source", { dev: source, mode: "bridge" })
    : element("source", { [kind]: source });

/** Without an id libvirt makes one up, and another one the next time. */
const portPiece = (mac: string): XmlPiece =>
  element("virtualport", { type: "openvswitch" }, [element("parameters", { interfaceid: portUuid(mac) })]);

function vlanPiece({ vlan, trunks }: MachineCard): XmlPiece | undefined {
  const native = vlan === undefined ? [] : [vlan];
  if (trunks === undefined) {
    return vlan === undefined ? undefined : element("vlan", {}, [element("tag", { id: vlan })]);
  }
  return element("vlan", { trunk: "yes" }, [
    ...native.map((id) => element("tag", { id, nativeMode: "untagged" })),
    ...trunks.map((id) => element("tag", { id })),
  ]);
}

export const readCards = (domain: XmlElement): FoundCard[] =>
  allAt(domain, "devices", "interface").flatMap((card) => readCard(card) ?? []);

/** Kinds of cards that we have no words for, like `hostdev`. */
export const readOtherCards = (domain: XmlElement): string[] =>
  allAt(domain, "devices", "interface")
    .filter((card) => !readCard(card))
    .map((card) => card.attributes["type"] ?? "");

function readCard(card: XmlElement): FoundCard | undefined {
  const kind = (Object.keys(types) as CardKind[]).find((each) => types[each] === card.attributes["type"]);
  if (!kind) return undefined;
  const model = firstAt(card, "model")?.attributes["type"];
  const mtu = firstAt(card, "mtu")?.attributes["size"];
  return {
    mac: (firstAt(card, "mac")?.attributes["address"] ?? "").toLowerCase(),
    kind,
    source: firstAt(card, "source")?.attributes[kind === "macvtap" ? "dev" : kind] ?? "",
    ...(firstAt(card, "virtualport")?.attributes["type"] === "openvswitch" && { isOpenVswitch: true }),
    ...readVlan(firstAt(card, "vlan")),
    ...(mtu !== undefined && { mtu: Number(mtu) }),
    ...(model !== "virtio" && { model: model ?? "default" }),
  };
}

function readVlan(vlan: XmlElement | undefined): Pick<MachineCard, "vlan" | "trunks"> {
  if (!vlan) return {};
  const tags = allAt(vlan, "tag");
  const isTrunk = vlan.attributes["trunk"] === "yes" || tags.length > 1;
  const isNative = (tag: XmlElement): boolean => !isTrunk || tag.attributes["nativeMode"] === "untagged";
  const native = tags.find(isNative);
  return {
    ...(native && { vlan: Number(native.attributes["id"]) }),
    ...(isTrunk && {
      trunks: tags.filter((tag) => tag !== native).map((tag) => Number(tag.attributes["id"])),
    }),
  };
}
