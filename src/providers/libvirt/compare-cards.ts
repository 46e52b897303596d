import { vlanObjection, type Deviation, type Objection } from "../../plan/index.ts";
import { deviates } from "./deviation.ts";
import type { FoundCard, MachineCard } from "./machine-cards.ts";

/** Cards are told apart by their MAC, which never changes. */
export function compareCards(cluster: string, wanted: MachineCard[], found: FoundCard[]): Deviation[] {
  const macs = [...new Set([...wanted, ...found].map((card) => card.mac))];
  return macs.flatMap((mac): Deviation[] => {
    const [to, from] = [wanted, found].map((cards) => cards.find((card) => card.mac === mac)) as [
      MachineCard | undefined,
      FoundCard | undefined,
    ];
    const field = `card ${mac}`;
    if (!from || !to) {
      return deviates(field, from ? plugOf(from) : "none", to ? plugOf(to) : "none", {
        // One more is for nobody yet; one that goes was for somebody.
        consequence: from ? "disturb" : "hot",
      });
    }
    return [
      ...deviates(field, plugOf(from), plugOf(to), {
        consequence: from.kind === to.kind ? "disturb" : "reboot",
        ...(from.vlan !== to.vlan && isFirst(wanted, to) && { objection: moved(cluster, from, to) }),
      }),
      ...deviates(`MTU of ${field}`, from.mtu ?? "default", to.mtu ?? "default", { consequence: "reboot" }),
      ...deviates(`model of ${field}`, from.model ?? "virtio", "virtio", { consequence: "reboot" }),
    ];
  });
}

/** The one that carries the address of the node. */
const isFirst = ([first]: MachineCard[], card: MachineCard): boolean => first?.mac === card.mac;

const moved = (cluster: string, from: MachineCard, to: MachineCard): Objection =>
  vlanObjection(cluster, String(from.vlan ?? "none"), String(to.vlan ?? "none"));

const plugOf = ({ kind, source, vlan, trunks }: MachineCard): string =>
  [
    `${kind} ${source}`,
    ...(vlan === undefined ? [] : [`VLAN ${vlan}`]),
    ...(trunks ? [`trunks ${trunks.join(";")}`] : []),
  ].join(", ");
