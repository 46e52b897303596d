import type { PlannedStep } from "../../plan/index.ts";
import { formatMiB, formatNumber } from "../format.ts";

/**
 * The facts of a planned step that the plan screen shows. All are optional; others are ignored.
 *
 * on a machine:   cores · memoryMiB · diskGiB · dataGiB ("50" or "50 + 20") · address · vmid · vlan · bridge, or network or macvtap (of libvirt)
 *                 keptGiB, keptDisks ("vm-3010-disk-1", what a removal leaves behind) · keptIn (a machine that holds them) · lostDisks (how many go)
 *                 backup (what it is made again from: "nas:backup/…, taken 2026-07-14 09:31 UTC: …")
 *                 from ("ISO", "clone of template 9000"; absent: a copy of the image)
 *                 power (of a machine that is there already: how it is switched on, "by Redfish" or "by hand") · erases (the disk it is installed on)
 * on an image:    image ("Talos 1.13.9") · schematic · sizeGiB
 * on the cluster: kubernetes · endpoint (a URL) · vip (the address, when the endpoint is a VIP)
 * on an add-on:   version · objects (how many its charts make, once they were rendered)
 * on a change:    because ("needs a new system disk") · before ("etcd quorum, drain (dry run: passes)") · weak ("2 members: none may fail")
 *                 hop ("1 of 4", on the way to a version further away) · blocked ("shop/orders lets no pod go: orders-0 on worker-1")
 *                 alone, unmanaged (pods without another copy, or that nobody makes again)
 */
export interface PlanFacts {
  cores?: number;
  memoryMiB?: number;
  diskGiB?: number;
  dataGiB?: string;
  address?: string;
  vmid?: number;
  from?: string;
  backup?: string;
  power?: string;
  erases?: string;
  bridge?: string;
  network?: string;
  macvtap?: string;
  vlan?: number;
  keptGiB?: string;
  keptDisks?: string;
  keptIn?: string;
  lostDisks?: number;
  image?: string;
  schematic?: string;
  sizeGiB?: number;
  kubernetes?: string;
  endpoint?: string;
  vip?: string;
  version?: string;
  objects?: number;
  because?: string;
  before?: string;
  weak?: string;
  blocked?: string;
  alone?: string;
  unmanaged?: string;
  hop?: string;
}

const numbers = new Set(["cores", "memoryMiB", "diskGiB", "vmid", "vlan", "sizeGiB", "lostDisks", "objects"]);

/** The facts of a step, numbers and texts, however they were written. */
export function factsOf(step: PlannedStep): PlanFacts {
  const facts: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(step.facts ?? {})) {
    facts[key] = numbers.has(key) ? Number(value) : String(value);
  }
  return facts;
}

/** `50 + 50 GiB`. */
export function diskText({ diskGiB, dataGiB }: PlanFacts): string {
  const disks = [diskGiB, dataGiB].filter((size) => size !== undefined && size !== "");
  return disks.length === 0 ? "" : `${disks.join(" + ")} GiB`;
}

/** `4 cores, 8 GiB, 192.168.1.114`. */
export function machineText(facts: PlanFacts): string {
  const { cores, memoryMiB, address } = facts;
  const parts = [
    cores === undefined ? "" : formatNumber(cores, "core"),
    memoryMiB === undefined ? "" : formatMiB(memoryMiB),
    address ?? "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** The first fact of that name among steps that share it. */
export function sharedFact<Key extends keyof PlanFacts>(
  steps: readonly PlannedStep[],
  key: Key,
): PlanFacts[Key] | undefined {
  for (const step of steps) {
    const value = factsOf(step)[key];
    if (value !== undefined) return value;
  }
  return undefined;
}
