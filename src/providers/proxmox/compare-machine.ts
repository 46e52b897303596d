import type { Consequence, Difference, FieldChange } from "../../plan/index.ts";
import { same } from "../../plan/index.ts";
import { compareCards } from "./cards.ts";
import { addressConfig, type MachineHave, type MachineWant } from "./machine-config.ts";

interface Found extends FieldChange {
  consequence: Consequence;
  loses?: string;
}

const gravity: Consequence[] = ["hot", "reboot", "data"];

/**
 * Only what the cluster file owns. The image is not compared: nodes upgrade themselves and are never silently made
 * anew. Nor is the host: a machine that was moved by hand is accepted where it is.
 */
export function compareMachine(want: MachineWant, have: MachineHave): Difference {
  const found = [...sizes(want, have), ...dataDisks(want, have), ...network(want, have), ...rest(want, have)];
  if (found.length === 0) return same;
  const worst = Math.max(...found.map((each) => gravity.indexOf(each.consequence)));
  const loses = found.flatMap((each) => each.loses ?? []).join(", ");
  // Proxmox cannot shrink the disk a machine starts from.
  const isReplaced = want.diskGiB < have.diskGiB;
  return {
    same: false,
    action: isReplaced ? "replace" : "update",
    consequence: gravity[worst] ?? "hot",
    fields: found.map(({ field, from, to }) => ({ field, from, to })),
    ...(loses !== "" && { loses }),
    ...(isReplaced && { keeps: "name, address and VMID" }),
  };
}

/** Whether the machine must be off for the change to take effect. */
export const needsStop = (want: MachineWant, have: MachineHave): boolean => {
  const difference = compareMachine(want, have);
  return !difference.same && difference.consequence !== "hot";
};

const gib = (sizeGiB: number): string => `${Math.round(sizeGiB * 100) / 100} GiB`;
const memory = (memoryMiB: number): string =>
  memoryMiB % 1024 === 0 ? gib(memoryMiB / 1024) : `${memoryMiB} MiB`;

function sizes(want: MachineWant, have: MachineHave): Found[] {
  return [
    differs("cores", String(have.cores), String(want.cores), "reboot"),
    differs("memory", memory(have.memoryMiB), memory(want.memoryMiB), "reboot"),
    want.diskGiB < have.diskGiB
      ? {
          ...change("disk", gib(have.diskGiB), gib(want.diskGiB), "data"),
          loses: `the system disk and the data disks of ${want.node}`,
        }
      : differs("disk", gib(have.diskGiB), gib(want.diskGiB), "hot"),
  ].flat();
}

function dataDisks(want: MachineWant, have: MachineHave): Found[] {
  const count = Math.max(want.dataDisks.length, have.dataDisks.length);
  return Array.from({ length: count }, (_, index): Found[] => {
    const wanted = want.dataDisks[index]?.sizeGiB;
    const found = have.dataDisks[index]?.sizeGiB;
    const field = count === 1 ? "data disk" : `data disk ${index + 1}`;
    if (found === undefined) return [change(field, "none", gib(wanted ?? 0), "hot")];
    if (wanted !== undefined && wanted >= found) return differs(field, gib(found), gib(wanted), "hot");
    const to = wanted === undefined ? "none" : gib(wanted);
    return [{ ...change(field, gib(found), to, "data"), loses: `what is on ${field} (${gib(found)})` }];
  }).flat();
}

function network(want: MachineWant, have: MachineHave): Found[] {
  return [
    differs("bridge", have.bridge, want.bridge, "hot"),
    differs("vlan", String(have.vlan ?? "none"), String(want.vlan ?? "none"), "hot"),
    differs("mac", have.mac, want.mac.toLowerCase(), "reboot"),
    differs("mtu", String(have.mtu ?? "default"), String(want.mtu ?? "default"), "reboot"),
    // Read by the guest when it starts.
    differs("address", have.address, addressConfig(want), "reboot"),
    // For the next start only: a configured node takes its name servers from its own configuration.
    differs("dns", have.dns.join(", "), want.dns.join(", "), "hot"),
    compareCards(want.nics ?? [], have.nics),
  ].flat();
}

function rest(want: MachineWant, have: MachineHave): Found[] {
  return [
    differs("tags", have.tags.join(", "), want.tags.join(", "), "hot"),
    differs("power", have.isRunning ? "running" : "stopped", "running", "hot"),
  ].flat();
}

const change = (field: string, from: string, to: string, consequence: Consequence): Found => ({
  field,
  from,
  to,
  consequence,
});

const differs = (field: string, from: string, to: string, consequence: Consequence): Found[] =>
  from === to ? [] : [change(field, from, to, consequence)];
