import { unlessEmpty } from "../../../lib/index.ts";
import type { MachineChange, MachineConfig } from "../../../clients/proxmox/index.ts";
import type { MachineNic } from "../../../spec/index.ts";
import { onOff } from "../../common/index.ts";
import { deviates, type Deviation } from "./deviation.ts";
import { properties } from "../property-text.ts";

/** A card as Proxmox tells it. */
export interface FoundNic extends MachineNic {
  /** 1 for net1. */
  slot: number;
  /** Absent: virtio, the only one that is asked for. */
  model?: string | undefined;
  /** What the file has no word for, as it stands there: `queues=4`, `rate=100`. */
  others?: string[] | undefined;
}

const ours = new Set(["macaddr", "bridge", "tag", "trunks", "firewall", "mtu", "model"]);

export const netDevice = (nic: MachineNic, others: readonly string[] = []): string =>
  [
    `virtio=${nic.mac.toUpperCase()}`,
    `bridge=${nic.bridge}`,
    ...(nic.isFirewalled ? ["firewall=1"] : []),
    ...(nic.mtu === undefined ? [] : [`mtu=${nic.mtu}`]),
    ...(nic.vlan === undefined ? [] : [`tag=${nic.vlan}`]),
    ...(nic.trunks === undefined ? [] : [`trunks=${nic.trunks.join(";")}`]),
    ...others,
  ].join(",");

export function readNic(config: MachineConfig, slot: number): FoundNic {
  const net = properties(config[`net${slot}`] ?? "");
  const [vlan, mtu, trunks] = [net.get("tag"), net.get("mtu"), net.get("trunks")];
  // The card begins with its model: `virtio=MAC`, or the model alone and `macaddr=MAC` after it.
  const [first = "virtio", mac = ""] = [...net].find(([key]) => !ours.has(key)) ?? [];
  const model = net.get("model") ?? first;
  const address = properties(config[`ipconfig${slot}`] ?? "").get("ip");
  const others = [...net].filter(([key]) => !ours.has(key) && key !== first);
  return {
    slot,
    mac: (net.get("macaddr") ?? mac).toLowerCase(),
    bridge: net.get("bridge") ?? "",
    model: model === "virtio" ? undefined : model,
    vlan: vlan === undefined ? undefined : Number(vlan),
    trunks: trunks === undefined ? undefined : numbersIn(trunks),
    isFirewalled: net.get("firewall") === "1" ? true : undefined,
    mtu: mtu === undefined ? undefined : Number(mtu),
    address,
    others: unlessEmpty(others.map(([key, value]) => `${key}=${value}`)),
  };
}

/** `10;20-22` is 10, 20, 21 and 22. */
const numbersIn = (ranges: string): number[] =>
  ranges.split(";").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });

export const readFurtherNics = (config: MachineConfig): FoundNic[] =>
  Object.keys(config)
    .flatMap((key) => /^net([1-9]\d*)$/.exec(key)?.[1] ?? [])
    .map((slot) => readNic(config, Number(slot)))
    .toSorted((a, b) => a.slot - b.slot);

/** What makes a machine have these cards beside the first one. */
export const furtherNics = (nics: readonly MachineNic[]): MachineChange =>
  Object.assign({}, ...nics.map((nic, index) => nicInSlot(nic, index + 1))) as MachineChange;

/** Cards without an address have no `ipconfig`: their links are told what to do by the machine config alone. */
const nicInSlot = (nic: MachineNic, slot: number, others?: readonly string[]): MachineChange => ({
  [`net${slot}`]: netDevice(nic, others),
  ...(nic.address !== undefined && { [`ipconfig${slot}`]: `ip=${nic.address}` }),
});

/** The first card, a field each. Proxmox replugs a card for a new MAC or MTU, which a node does not survive running. */
export function compareFirstNic(wanted: MachineNic, found: FoundNic): Deviation[] {
  const set = { net0: netDevice(wanted, found.others) };
  const field = (name: string, from: string, to: string, consequence: "disturb" | "reboot") =>
    deviates(name, from, to, { consequence, keys: ["net0"], set });
  return [
    field("bridge", found.bridge, wanted.bridge, "disturb"),
    field("vlan", String(found.vlan ?? "none"), String(wanted.vlan ?? "none"), "disturb"),
    field("trunks", trunksText(found.trunks), trunksText(wanted.trunks), "disturb"),
    field("firewall", onOff(found.isFirewalled), onOff(wanted.isFirewalled), "disturb"),
    field("NIC model", found.model ?? "virtio", "virtio", "reboot"),
    field("mac", found.mac, wanted.mac.toLowerCase(), "reboot"),
    field("mtu", String(found.mtu ?? "default"), String(wanted.mtu ?? "default"), "reboot"),
  ].flat();
}

const trunksText = (trunks: readonly number[] | undefined): string =>
  trunks === undefined || trunks.length === 0
    ? "none"
    : [...new Set(trunks)].toSorted((a, b) => a - b).join(", ");

/** The cards beside the first one. Cards that the file does not know are to go. */
export const compareNics = (wanted: readonly MachineNic[], found: readonly FoundNic[]): Deviation[] => [
  ...wanted.flatMap((nic, index) => {
    const slot = index + 1;
    return compareNic(
      nic,
      found.find((each) => each.slot === slot),
      slot,
    );
  }),
  ...found
    .filter(({ slot }) => slot > wanted.length)
    .map((nic) => ({
      field: name(nic.slot),
      from: shown(nic),
      to: "none",
      consequence: "reboot" as const,
      keys: keysOf(nic.slot),
      unset: keysOf(nic.slot),
    })),
];

/** People count cards from one; Proxmox's net1 is the second. */
const name = (slot: number): string => `NIC ${slot + 1}`;
const keysOf = (slot: number): string[] => [`net${slot}`, `ipconfig${slot}`];

function compareNic(wanted: MachineNic, found: FoundNic | undefined, slot: number): Deviation[] {
  const to = shown(wanted);
  const remedy = { keys: keysOf(slot), set: nicInSlot(wanted, slot, found?.others) };
  if (!found) return [{ field: name(slot), from: "none", to, consequence: "hot", ...remedy }];
  const from = shown(found);
  const isSameMac = wanted.mac.toLowerCase() === found.mac;
  if (from === to && isSameMac) return [];
  const isBare = wanted.address === undefined && found.address !== undefined;
  // Another MAC or MTU means another card to the guest, and what is taken away stays until it stops.
  const isOther = !isSameMac || wanted.mtu !== found.mtu || found.model !== undefined || isBare;
  const [oldMac, newMac] = from === to ? [`, ${found.mac}`, `, ${wanted.mac}`] : ["", ""];
  return [
    {
      field: name(slot),
      from: `${from}${oldMac}`,
      to: `${to}${newMac}`,
      consequence: isOther ? "reboot" : "disturb",
      ...remedy,
      unset: isBare ? [`ipconfig${slot}`] : undefined,
    },
  ];
}

/** `vmbr1, VLAN 30, MTU 9000, 10.30.0.11/24`. */
const shown = ({ bridge, vlan, trunks, isFirewalled, mtu, address, model }: Omit<FoundNic, "slot">): string =>
  [
    bridge,
    ...(model === undefined ? [] : [model]),
    ...(vlan === undefined ? [] : [`VLAN ${vlan}`]),
    ...(trunks === undefined ? [] : [`trunks ${trunksText(trunks)}`]),
    ...(isFirewalled ? ["firewall"] : []),
    ...(mtu === undefined ? [] : [`MTU ${mtu}`]),
    ...(address === undefined ? [] : [address]),
  ].join(", ");
