import type { MachineChange, MachineConfig } from "../../../clients/proxmox/index.ts";
import { disksInOrder, reattached } from "./detached-disks.ts";
import { gib } from "../../common/index.ts";
import { deviates, type Deviation, type DiskMove } from "../machine/deviation.ts";
import { formatOn } from "./disk-format.ts";
import type { MachineHave, MachineWant, FoundDisk } from "../machine/machine-want.ts";
import { diskOptions, newDisk, readDisk, slotNumber } from "./machine-disks.ts";
import {
  boardKind,
  boardOf,
  isSeed,
  isSeenByAll,
  newEfiDisk,
  newSeed,
  newTpm,
  seedSlot,
  seedStorage,
} from "../machine/machine-firmware.ts";
import { lostWithMachine } from "../mark.ts";
import { properties, withProperties } from "../property-text.ts";

/** Size, place and options of the system disk. */
export function compareSystemDisk(want: MachineWant, have: MachineHave): Deviation[] {
  const { system } = have;
  if (!system) return [];
  const { slot } = system;
  const [from, to] = [gib(have.diskGiB), gib(want.diskGiB)];
  const size: Deviation[] =
    want.diskGiB < have.diskGiB
      ? [
          {
            field: "disk",
            from,
            to,
            consequence: "data",
            loses: lostWithMachine(want.node, want.dataDisks),
            // Proxmox cannot shrink the disk a machine starts from.
            isReplaced: true,
            keys: [slot],
          },
        ]
      : deviates("disk", from, to, {
          consequence: "hot",
          keys: [slot],
          grows: { slot, sizeGiB: want.diskGiB },
        });
  return [...size, ...comparePlace("disk", want, have.config, { ...system, wanted: want.storage })];
}

/** Data disks are told apart by their order. */
export function compareDataDisks(want: MachineWant, have: MachineHave): Deviation[] {
  const disks = disksInOrder(want, have);
  const count = Math.max(want.dataDisks.length, disks.length);
  const free = freeSlots(have);
  return Array.from({ length: count }, (_, index): Deviation[] => {
    const wanted = want.dataDisks[index];
    const found = disks[index];
    const field = count === 1 ? "data disk" : `data disk ${index + 1}`;
    const back = found || !wanted ? undefined : reattached(want, have, field, index);
    if (back) return back;
    const slot = found?.slot ?? free.next().value ?? "";
    const made = wanted && { set: { [slot]: newDisk(wanted, want) } as MachineChange };
    const to = wanted ? gib(wanted.sizeGiB) : "none";
    if (!found) return [{ field, from: "none", to, consequence: "hot", keys: [slot], ...made }];
    const from = gib(found.sizeGiB);
    if (!wanted || wanted.sizeGiB < found.sizeGiB) {
      const loses = `what is on ${field} (${from})`;
      return [{ field, from, to, consequence: "data", loses, keys: [slot], destroys: [slot], ...made }];
    }
    const grows = { slot, sizeGiB: wanted.sizeGiB };
    return [
      ...deviates(field, from, to, { consequence: "hot", keys: [slot], grows }),
      ...comparePlace(field, want, have.config, { ...found, wanted: wanted.storage }),
    ];
  }).flat();
}

/** Slots follow the order of the file, behind whatever is there. */
function* freeSlots({ config, dataDisks }: MachineHave): Generator<string, undefined> {
  let number = slotNumber(dataDisks.at(-1)?.slot ?? "scsi0");
  for (;;) {
    number += 1;
    if (config[`scsi${number}`] === undefined) yield `scsi${number}`;
  }
}

/** The storage it is on, and the options that are ours. Others, such as limits and caches, stay as they are. */
function comparePlace(
  field: string,
  want: MachineWant,
  config: MachineConfig,
  { slot, storage, wanted }: FoundDisk & { wanted: string },
): Deviation[] {
  const drive = config[slot] ?? "";
  const set = { [slot]: withProperties(drive, diskOptions(want, slot)) } as MachineChange;
  return [
    ...deviates(`storage of ${field}`, storage, wanted, {
      consequence: "hot",
      keys: [slot],
      moves: moveOf(want, slot, wanted),
    }),
    ...deviates(
      `options of ${field}`,
      optionText(properties(drive)),
      optionText(new Map(Object.entries(diskOptions(want, slot)))),
      { consequence: "reboot", keys: [slot], set },
    ),
  ];
}

function moveOf(want: MachineWant, slot: string, storage: string): DiskMove {
  // What a TPM remembers is always raw.
  const format = slot === "tpmstate0" ? undefined : formatOn(want, storage);
  return { slot, storage, format };
}

const optionText = (drive: ReadonlyMap<string, string | undefined>): string =>
  [
    ...(drive.get("discard") === "on" ? ["discard"] : []),
    ...(isOn(drive.get("iothread")) ? ["I/O thread"] : []),
    ...(isOn(drive.get("ssd")) ? ["ssd"] : []),
  ].join(", ") || "none";

const isOn = (value: string | undefined): boolean => value === "1" || value === "on";

/** The drives that are no disks to the guest: what the firmware remembers, the TPM and the seed. */
export function compareSmallDrives(want: MachineWant, have: MachineHave): Deviation[] {
  const { bios, hasTpm } = boardOf(want);
  const tpm = readDisk(have.config, "tpmstate0");
  return [
    ...(bios === "ovmf" ? compareSmall("firmware memory", "efidisk0", newEfiDisk(want), want, have) : []),
    ...(hasTpm ? compareSmall("tpm", "tpmstate0", newTpm(want), want, have) : []),
    ...(!hasTpm && tpm
      ? [
          {
            field: "tpm",
            from: tpm.storage,
            to: "none",
            consequence: "data" as const,
            loses: `the keys in the TPM of ${want.node}; a disk that only they open stays closed`,
            keys: ["tpmstate0"],
            destroys: ["tpmstate0"],
          },
        ]
      : []),
    ...compareSeed(want, have),
  ];
}

/** Moved while the machine is off: Proxmox moves no TPM of a running one. */
function compareSmall(
  field: string,
  slot: "efidisk0" | "tpmstate0",
  made: string,
  want: MachineWant,
  { config }: MachineHave,
): Deviation[] {
  const found = readDisk(config, slot);
  return deviates(field, found?.storage ?? "none", want.storage, {
    consequence: "reboot",
    keys: [slot],
    ...(found ? { moves: moveOf(want, slot, want.storage) } : { set: { [slot]: made } }),
  });
}

/** Accepted in whatever slot it is; made again when it lies elsewhere, since Proxmox writes it at every start. */
function compareSeed(want: MachineWant, { config }: MachineHave): Deviation[] {
  const slot = Object.keys(config).find((key) => isSeed(config[key] ?? ""));
  const found = slot === undefined ? undefined : readDisk(config, slot);
  const isLost = slot !== undefined && losesSeed(slot, want, config);
  const into = isLost ? seedSlot : (slot ?? seedSlot);
  const remedy = { consequence: "reboot" as const, set: { [into]: newSeed(want) } };
  if (isLost) return deviates("seed", slot, into, { ...remedy, keys: [slot, into], destroys: [slot] });
  return deviates("storage of seed", found?.storage ?? "none", seedStorage(want), {
    ...remedy,
    keys: [into],
  });
}

/** The other board turns IDE into AHCI. A machine that is on that board already has read its seed somehow, and keeps it. */
const losesSeed = (slot: string, want: MachineWant, { machine = "" }: MachineConfig): boolean =>
  isSeenByAll(slot, boardKind(machine)) && !isSeenByAll(slot, boardOf(want).machine);
