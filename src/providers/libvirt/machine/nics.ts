import { allAt, element, firstAt, writeXml, type XmlElement, type XmlPiece } from "../../../lib/index.ts";
import { portUuid } from "../names.ts";

/** What a card is plugged into: a bridge of the host, a network of libvirt, or one of the host's own cards. */
export type NicKind = "bridge" | "network" | "macvtap";

export interface MachineNic {
  mac: string;
  kind: NicKind;
  source: string;
  /** The bridge is one of Open vSwitch, without which most versions of libvirt refuse VLANs. */
  isOpenVswitch?: true | undefined;
  /** What the guest sends without a tag belongs to it. */
  vlan?: number | undefined;
  /** VLANs that pass with their tags. */
  trunks?: number[] | undefined;
  mtu?: number | undefined;
}

/** A card as libvirt tells it. */
export interface FoundNic extends MachineNic {
  /** Absent: virtio, the only one that is asked for. */
  model?: string | undefined;
}

const types = { bridge: "bridge", network: "network", macvtap: "direct" } as const;

/** What plugs a card into a machine that is there, or out of it. */
export const nicXml = (nic: MachineNic): string => writeXml(nicPiece(nic));

export const nicPiece = (nic: MachineNic): XmlPiece =>
  element("interface", { type: types[nic.kind] }, [
    // Without it libvirt makes one up, and another one the next time.
    element("mac", { address: nic.mac.toLowerCase() }),
    sourcePiece(nic),
    vlanPiece(nic),
    nic.isOpenVswitch && portPiece(nic.mac),
    element("model", { type: "virtio" }),
    nic.mtu !== undefined && element("mtu", { size: nic.mtu }),
  ]);

const sourcePiece = ({ kind, source }: MachineNic): XmlPiece =>
  kind === "macvtap"
    ? element("source", { dev: source, mode: "bridge" })
    : element("source", { [kind]: source });

/** Without an id libvirt makes one up, and another one the next time. */
const portPiece = (mac: string): XmlPiece =>
  element("virtualport", { type: "openvswitch" }, [element("parameters", { interfaceid: portUuid(mac) })]);

function vlanPiece({ vlan, trunks }: MachineNic): XmlPiece | undefined {
  const native = vlan === undefined ? [] : [vlan];
  if (trunks === undefined) {
    return vlan === undefined ? undefined : element("vlan", {}, [element("tag", { id: vlan })]);
  }
  return element("vlan", { trunk: "yes" }, [
    ...native.map((id) => element("tag", { id, nativeMode: "untagged" })),
    ...trunks.map((id) => element("tag", { id })),
  ]);
}

export const readNics = (domain: XmlElement): FoundNic[] =>
  allAt(domain, "devices", "interface").flatMap((nic) => readNic(nic) ?? []);

/** Kinds of cards that we have no words for, like `hostdev`. */
export const readOtherNics = (domain: XmlElement): string[] =>
  allAt(domain, "devices", "interface")
    .filter((nic) => !readNic(nic))
    .map((nic) => nic.attributes["type"] ?? "");

function readNic(nic: XmlElement): FoundNic | undefined {
  const kind = (Object.keys(types) as NicKind[]).find((each) => types[each] === nic.attributes["type"]);
  if (!kind) return undefined;
  const model = firstAt(nic, "model")?.attributes["type"];
  const mtu = firstAt(nic, "mtu")?.attributes["size"];
  return {
    mac: (firstAt(nic, "mac")?.attributes["address"] ?? "").toLowerCase(),
    kind,
    source: firstAt(nic, "source")?.attributes[kind === "macvtap" ? "dev" : kind] ?? "",
    isOpenVswitch: firstAt(nic, "virtualport")?.attributes["type"] === "openvswitch" ? true : undefined,
    ...readVlan(firstAt(nic, "vlan")),
    mtu: mtu === undefined ? undefined : Number(mtu),
    model: model === "virtio" ? undefined : (model ?? "default"),
  };
}

function readVlan(vlan: XmlElement | undefined): Pick<MachineNic, "vlan" | "trunks"> {
  if (!vlan) return {};
  const tags = allAt(vlan, "tag");
  const isTrunk = vlan.attributes["trunk"] === "yes" || tags.length > 1;
  const isNative = (tag: XmlElement): boolean => !isTrunk || tag.attributes["nativeMode"] === "untagged";
  const native = tags.find(isNative);
  return {
    vlan: native && Number(native.attributes["id"]),
    trunks: isTrunk
      ? tags.filter((tag) => tag !== native).map((tag) => Number(tag.attributes["id"]))
      : undefined,
  };
}
