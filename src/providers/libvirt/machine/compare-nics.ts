import { vlanObjection, type Deviation, type Objection } from "../../../plan/index.ts";
import { deviates } from "../../common/index.ts";
import type { FoundNic, MachineNic } from "./nics.ts";

/** Cards are told apart by their MAC, which never changes. */
export function compareNics(cluster: string, wanted: MachineNic[], found: FoundNic[]): Deviation[] {
  const macs = [...new Set([...wanted, ...found].map((nic) => nic.mac))];
  return macs.flatMap((mac): Deviation[] => {
    const [to, from] = [wanted, found].map((nics) => nics.find((nic) => nic.mac === mac)) as [
      MachineNic | undefined,
      FoundNic | undefined,
    ];
    const field = `NIC ${mac}`;
    if (!from || !to) {
      return deviates(field, from ? plugOf(from) : "none", to ? plugOf(to) : "none", {
        // An added one is not in use yet; a removed one may be.
        consequence: from ? "disturb" : "hot",
      });
    }
    return [
      ...deviates(field, plugOf(from), plugOf(to), {
        consequence: from.kind === to.kind ? "disturb" : "reboot",
        objection: from.vlan !== to.vlan && isFirst(wanted, to) ? moved(cluster, from, to) : undefined,
      }),
      ...deviates(`MTU of ${field}`, from.mtu ?? "default", to.mtu ?? "default", { consequence: "reboot" }),
      ...deviates(`model of ${field}`, from.model ?? "virtio", "virtio", { consequence: "reboot" }),
    ];
  });
}

/** The one that carries the address of the node. */
const isFirst = ([first]: MachineNic[], nic: MachineNic): boolean => first?.mac === nic.mac;

const moved = (cluster: string, from: MachineNic, to: MachineNic): Objection =>
  vlanObjection(cluster, String(from.vlan ?? "none"), String(to.vlan ?? "none"));

const plugOf = ({ kind, source, vlan, trunks }: MachineNic): string =>
  [
    `${kind} ${source}`,
    ...(vlan === undefined ? [] : [`VLAN ${vlan}`]),
    ...(trunks ? [`trunks ${trunks.join(";")}`] : []),
  ].join(", ");
