import type { Deviation } from "../../../plan/index.ts";
import { deviates, gib } from "../../common/index.ts";
import { pathOf, type MachineHave } from "../machine/find-machine.ts";
import type { MachineDisk } from "./machine-disks.ts";
import type { MachineWant } from "../machine/machine-want.ts";
import type { MachineXml } from "../machine/machine-xml.ts";
import { dataSerial, systemSerial } from "../names.ts";
import { bytesOfGiB, gibOfBytes } from "../pool/open-pool.ts";
import type { FoundMachine } from "../machine/read-machine.ts";

/** Disks are told apart by their serials. */
export function compareDisks(
  want: MachineWant,
  wanted: MachineXml,
  found: FoundMachine,
  have: MachineHave,
): Deviation[] {
  const count = Math.max(want.dataDisks.length, dataNumbers(found).at(-1) ?? 0);
  const at = (disks: MachineDisk[], serial: string) => disks.find((disk) => disk.serial === serial);
  const system = at(found.disks, systemSerial);
  return [
    ...(system
      ? compareSystem(want, have.diskBytes[pathOf(system.source)] ?? 0)
      : deviates("disk", "none", gib(want.diskGiB), { consequence: "reboot" })),
    ...[systemSerial, ...want.dataDisks.map((_, index) => dataSerial(index + 1))].flatMap((serial) => {
      const [from, to] = [at(found.disks, serial), at(wanted.disks, serial)];
      return from && to ? compareOptions(serial, from, to) : [];
    }),
    ...Array.from({ length: count }, (_, index) => {
      const disk = at(found.disks, dataSerial(index + 1));
      const bytes = disk && have.diskBytes[pathOf(disk.source)];
      const field = count === 1 ? "data disk" : `data disk ${index + 1}`;
      return compareData(field, bytes, want.dataDisks[index]?.sizeGiB);
    }).flat(),
  ];
}

/** Numbers of the data disks it has, in order. */
export const dataNumbers = ({ disks }: Pick<FoundMachine, "disks">): number[] =>
  disks
    .flatMap(({ serial }) => {
      const number = /^data-(\d+)$/.exec(serial)?.[1];
      return number === undefined ? [] : [Number(number)];
    })
    .toSorted((a, b) => a - b);

function compareSystem(want: MachineWant, bytes: number): Deviation[] {
  const [from, to] = [gib(gibOfBytes(bytes)), gib(want.diskGiB)];
  if (bytes <= bytesOfGiB(want.diskGiB)) return deviates("disk", from, to, { consequence: "hot" });
  const loses = `the system disk of ${want.node}`;
  return deviates("disk", from, to, { consequence: "data", isReplaced: true, loses });
}

function compareData(field: string, bytes: number | undefined, sizeGiB: number | undefined): Deviation[] {
  const [from, to] = [
    bytes === undefined ? "none" : gib(gibOfBytes(bytes)),
    sizeGiB === undefined ? "none" : gib(sizeGiB),
  ];
  const isLost = bytes !== undefined && (sizeGiB === undefined || bytes > bytesOfGiB(sizeGiB));
  return deviates(
    field,
    from,
    to,
    isLost ? { consequence: "data", loses: `what is on ${field} (${from})` } : { consequence: "hot" },
  );
}

const compareOptions = (serial: string, from: MachineDisk, to: MachineDisk): Deviation[] =>
  deviates(`options of disk ${serial}`, optionText(from), optionText(to), { consequence: "reboot" });

const optionText = ({ cache, ioThread, bus, format }: MachineDisk): string =>
  [`${format} on ${bus}`, `cache ${cache}`, ...(ioThread === undefined ? [] : ["I/O thread"])].join(", ");
