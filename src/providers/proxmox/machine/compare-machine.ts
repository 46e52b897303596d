import { isInstalling } from "../image/from-iso.ts";
import { differenceOf, graver, needsOff, vlanObjection, type Difference } from "../../../plan/index.ts";
import { isSameMark, onOff } from "../../common/index.ts";
import { compareNics, compareFirstNic } from "./nics.ts";
import { deviates, type Deviation } from "./deviation.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";
import { compareDataDisks, compareSmallDrives, compareSystemDisk } from "../disks/compare-disks.ts";
import { boardOf } from "./machine-firmware.ts";
import { compareHardware, compareOptions, compareSeedSettings, compareSizes } from "./machine-settings.ts";
import { lostWithMachine, markedDisks, withMark } from "../mark.ts";

/** What it has is its template's, so there is nothing to compare and nothing to lose. */
const onlyCloned: Difference = {
  same: false,
  action: "update",
  consequence: "hot",
  fields: [{ field: "machine", from: "only cloned", to: "set up" }],
};

/** It has never run since, and what hangs on it may still be copies of its backup. */
const onlyRestored: Difference = {
  ...onlyCloned,
  fields: [{ field: "machine", from: "only restored", to: "set up" }],
};

/**
 * Only what the cluster file owns. The image is not compared: nodes upgrade themselves and are never silently made
 * anew. Nor is the host: a machine that was moved by hand is accepted where it is.
 */
export function compareMachine(want: MachineWant, have: MachineHave): Difference {
  if (have.mark.isBare) return onlyCloned;
  if (have.mark.isRestored) return onlyRestored;
  return differenceOf(deviations(want, have), `name, address, VMID${keptText(want)}`);
}

function keptText({ dataDisks }: MachineWant): string {
  const kept = dataDisks.filter((disk) => !disk.isDisposable).map((disk) => disk.sizeGiB);
  if (kept.length === 0) return "";
  return `, ${kept.length === 1 ? "data disk" : "data disks"} ${kept.join(" + ")} GiB`;
}

/** Whether the machine must be off for the change to take effect. */
export const needsStop = (want: MachineWant, have: MachineHave): boolean =>
  deviations(want, have).some(needsOff);

/** Where the machine is not as wanted, now or after its next start. One that is off need not restart for it. */
export function deviations(want: MachineWant, have: MachineHave): Deviation[] {
  const found = withWaiting(want, have);
  if (have.isRunning) return found;
  return found.map((each) => (isMild(each) ? { ...each, consequence: "hot" } : each));
}

/** Nothing runs on a machine that is off, so all but a loss of data is harmless there. */
const isMild = ({ consequence }: Deviation): boolean => consequence === "reboot" || consequence === "disturb";

function withWaiting(want: MachineWant, have: MachineHave): Deviation[] {
  const now = deviationsNow(want, have);
  if (!have.next) return now;
  const later = deviationsNow(want, have.next);
  const isIn = (list: Deviation[], { field }: Deviation) => list.some((each) => each.field === field);
  return [
    // Left by a run that was cut, or by a device that could not be plugged: off and on again is all it takes.
    ...now.map((each): Deviation => {
      if (isIn(later, each)) return each;
      return {
        ...each,
        to: `${each.to}, waits for a restart`,
        consequence: graver(each.consequence, "reboot"),
      };
    }),
    ...later.filter((each) => !isIn(now, each)).map(takenBack),
  ];
}

/** It was asked of Proxmox by hand: it would come with the next start. */
const takenBack = ({ field, from, to, keys }: Deviation): Deviation => ({
  field,
  from: `${from} at the next start`,
  to,
  consequence: "hot",
  keys,
  reverts: true,
});

const deviationsNow = (want: MachineWant, have: MachineHave): Deviation[] =>
  [
    compareSizes(want, have),
    compareFirmware(want, have),
    compareHardware(want, have),
    compareSystemDisk(want, have),
    isTooEarlyForData(want, have) ? [] : compareDataDisks(want, have),
    compareSmallDrives(want, have),
    compareFirstNic(want, have.nic).map((each) => withObjection(want, each)),
    compareSeedSettings(want, have),
    compareNics(want.nics ?? [], have.nics),
    compareOptions(want, have),
    compareProtection(want, have),
    compareNotes(want, have),
    comparePower(have),
  ].flat();

const withObjection = (want: MachineWant, each: Deviation): Deviation =>
  each.field === "vlan" ? { ...each, objection: vlanObjection(want.cluster, each.from, each.to) } : each;

const isTooEarlyForData = (want: MachineWant, have: MachineHave): boolean =>
  have.dataDisks.length === 0 && isInstalling(want, have.config);

/** The boot loader on the disk was made for one of them; the other would not find it. */
function compareFirmware(want: MachineWant, { config }: MachineHave): Deviation[] {
  const { bios, arch } = boardOf(want);
  const remedy = {
    consequence: "data" as const,
    isReplaced: true as const,
    loses: lostWithMachine(want.node, want.dataDisks),
  };
  const firmware = (name: string) => (name === "ovmf" ? "uefi" : "bios");
  const architecture = (name: string) => (name === "aarch64" ? "arm64" : "amd64");
  return [
    ...deviates("architecture", architecture(config["arch"] ?? ""), architecture(arch), {
      ...remedy,
      keys: ["arch"],
      set: { arch },
    }),
    ...deviates("firmware", firmware(config["bios"] ?? ""), firmware(bios), {
      ...remedy,
      keys: ["bios"],
      set: { bios },
    }),
  ];
}

/** What was protected by hand stays protected; what the file protected, the file may release. */
function compareProtection(want: MachineWant, have: MachineHave): Deviation[] {
  const isByHand = have.isProtected && have.mark.protect !== true;
  if (!want.isProtected && isByHand) return [];
  return deviates("protection", onOff(have.isProtected), onOff(want.isProtected), {
    consequence: "hot",
    keys: ["protection"],
    set: { protection: want.isProtected ?? false },
  });
}

/** What the mark says of the machine; text that people have written beside it stays. */
function compareNotes(want: MachineWant, { mark, config }: MachineHave): Deviation[] {
  const { data: _data, protect: _protect, ...rest } = mark;
  const wanted = {
    ...rest,
    role: want.role,
    ...markedDisks(want.dataDisks),
    protect: want.isProtected,
  };
  if (isSameMark(mark, wanted)) return [];
  const set = { description: withMark(config["description"] ?? "", wanted) };
  return [
    { field: "notes", from: "older", to: "as the file says", consequence: "hot", keys: ["description"], set },
  ];
}

const comparePower = ({ isRunning }: MachineHave): Deviation[] =>
  deviates("power", isRunning ? "running" : "stopped", "running", { consequence: "hot", keys: [] });
