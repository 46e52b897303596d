import { differenceOf, needsOff, type Deviation, type Difference } from "../../../plan/index.ts";
import { compareNics } from "./compare-nics.ts";
import { compareDisks } from "../disks/compare-disks.ts";
import { compareSizes } from "./compare-sizes.ts";
import { deviates, isSameMark, onOff } from "../../common/index.ts";
import type { MachineHave } from "./find-machine.ts";
import { machineDefinition, type Ground } from "./machine-definition.ts";
import type { MachineWant } from "./machine-want.ts";
import type { MachineXml } from "./machine-xml.ts";
import type { FoundMachine } from "./read-machine.ts";

const unfinished: Difference = {
  same: false,
  action: "update",
  consequence: "hot",
  fields: [{ field: "machine", from: "incomplete", to: "complete" }],
};

/** Only what the cluster file owns. The image is not compared: nodes upgrade themselves and are never silently replaced. */
export function compareMachine(want: MachineWant, have: MachineHave): Difference {
  if (have.isUnfinished) return unfinished;
  return differenceOf(deviations(want, have), "name, address, MAC, UUID and the data disks that are kept");
}

/** The definition an existing machine should have: what the host once chose for it stays. */
export function definitionFor(want: MachineWant, have: MachineHave): MachineXml {
  const { mark, defined, places } = have;
  const ground: Ground = { slipway: mark.slipway, accelerator: defined.accelerator, places };
  const whole = machineDefinition(want, ground);
  return {
    ...whole,
    // A machine is renamed while it is off, and defined under the name it has until then.
    name: have.domain.name,
    mark: { ...whole.mark, image: mark.image, insteadOf: mark.insteadOf },
    // A disk stays in the pool it was made in.
    disks: whole.disks.map((disk) => {
      const found = defined.disks.find((each) => each.serial === disk.serial);
      return found ? { ...disk, source: found.source, format: found.format } : disk;
    }),
    ...(whole.machine === defined.machine && { pinned: defined.pinned }),
    // A higher maximum of cores that somebody gave it costs nothing, and lets it grow while it runs.
    ...((defined.maxCores ?? 0) > whole.cores && { maxCores: defined.maxCores }),
  };
}

/** Where the machine is not as wanted, now or after its next start. One that is off need not restart for anything. */
export function deviations(want: MachineWant, have: MachineHave): Deviation[] {
  const wanted = definitionFor(want, have);
  const next = settings(want, wanted, have.defined, have);
  const now = have.running && settings(want, wanted, have.running, have);
  const all = [
    ...(now ? bothTimes(now, next) : next),
    ...compareName(want, have),
    ...compareNotes(wanted, have),
    ...comparePower(want, have),
  ];
  if (have.isRunning) return all;
  return all.map((each) => (each.consequence === "data" ? each : { ...each, consequence: "hot" }));
}

/** libvirt renames a machine only while it is off. Without a word about names it is called as it is. */
const compareName = ({ name }: MachineWant, { domain }: MachineHave): Deviation[] =>
  name === undefined || name === domain.name
    ? []
    : [{ field: "name", from: domain.name, to: name, consequence: "reboot" }];

function bothTimes(now: Deviation[], next: Deviation[]): Deviation[] {
  const isIn = (list: Deviation[], { field }: Deviation) => list.some((each) => each.field === field);
  return [
    // The definition was changed by hand, and it would come with the next start: it is only written again.
    ...next.map((each): Deviation => {
      if (isIn(now, each) || each.consequence === "data") return each;
      return { ...each, from: `${each.from} at the next start`, consequence: "hot" };
    }),
    // Taken from the running machine by hand, or left by a run that was cut.
    ...now
      .filter((each) => !isIn(next, each))
      .map((each): Deviation => {
        // A card that its system has not let go leaves with the next start.
        if (!needsOff(each) && each.to !== "none") return each;
        return { ...each, to: `${each.to}, waits for a restart`, consequence: "reboot" };
      }),
  ];
}

const settings = (
  want: MachineWant,
  wanted: MachineXml,
  found: FoundMachine,
  have: MachineHave,
): Deviation[] => [
  ...compareSizes(wanted, found, have.running),
  ...compareBoard(want, wanted, found),
  ...compareDisks(want, wanted, found, have),
  ...compareNics(want.cluster, wanted.nics, found.nics),
];

function compareBoard(want: MachineWant, wanted: MachineXml, found: FoundMachine): Deviation[] {
  const reboot = { consequence: "reboot" as const };
  const rebuilt = {
    consequence: "data" as const,
    isReplaced: true as const,
    loses: `the system disk of ${want.node}`,
  };
  const tpm = wanted.hasTpm
    ? reboot
    : { consequence: "data" as const, loses: `the keys in the TPM of ${want.node}` };
  return [
    ...deviates("architecture", found.architecture, wanted.architecture, rebuilt),
    // The boot loader on the disk was made for one of them; the other would not find it.
    ...deviates("firmware", found.firmware, wanted.firmware, rebuilt),
    ...deviates("secure boot", onOff(found.isSecureBoot), onOff(wanted.isSecureBoot), rebuilt),
    ...deviates("machine type", found.machine, wanted.machine, reboot),
    // A running machine tells the model that it was given, not how it was chosen.
    ...(found.pinned !== "" && isChosen(found.cpu, wanted.cpu)
      ? deviates("processor", found.cpu ?? "best", wanted.cpu ?? "best", reboot)
      : []),
    ...deviates("tpm", onOff(found.hasTpm), onOff(wanted.hasTpm), tpm),
    ...deviates("rng", onOff(found.hasRng), onOff(wanted.hasRng), reboot),
    ...deviates("agent channel", onOff(found.hasAgentChannel), onOff(wanted.hasAgentChannel), reboot),
    ...deviates("I/O threads", found.ioThreads ?? 0, wanted.ioThreads ?? 0, reboot),
    ...deviates("console log", found.consoleLog ?? "none", wanted.consoleLog ?? "none", reboot),
  ];
}

const isChosen = (found: string | undefined, wanted: string | undefined): boolean =>
  wanted !== "host-model" || found === undefined || found === "maximum" || found === "host-passthrough";

/** What the mark and the title say; and the seed, which is read at the next start. */
function compareNotes(wanted: MachineXml, { defined, mark, isRunning }: MachineHave): Deviation[] {
  const { address: oldAddress = "", ...old } = mark;
  const { address = "", ...notes } = wanted.mark;
  const addressed = deviates("address", oldAddress, address, { consequence: isRunning ? "reboot" : "hot" });
  const [foundSeed, wantedSeed] = [JSON.stringify(defined.seed?.source), JSON.stringify(wanted.seed?.source)];
  return [
    ...addressed,
    ...(addressed.length === 0 && foundSeed !== wantedSeed
      ? [{ field: "first settings", from: "older", to: "as the file says", consequence: "hot" as const }]
      : []),
    ...(!isSameMark(old, notes) || defined.title !== wanted.title
      ? [{ field: "notes", from: "older", to: "as the file says", consequence: "hot" as const }]
      : []),
  ];
}

export const startsOnBoot = ({ hardware }: MachineWant): boolean => hardware?.start?.onBoot ?? true;

function comparePower(want: MachineWant, have: MachineHave): Deviation[] {
  const hot = { consequence: "hot" as const };
  return [
    // Removed by hand while it runs: it would be gone with its next stop.
    ...deviates("definition", have.isDefined ? "there" : "removed", "there", hot),
    ...deviates("start with host", onOff(have.startsWithHost), onOff(startsOnBoot(want)), hot),
    ...deviates("power", have.isRunning ? "running" : "stopped", "running", hot),
  ];
}
