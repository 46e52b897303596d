import type { Host } from "../../spec/index.ts";
import type { CopiedDisk, MoveOutlook, Survey } from "../contract/provider.ts";
import { FreeCapacities } from "./free-capacity.ts";

/** What hosts have left for machines that come from other hosts: memory, cores, and space for the disks they bring. */
export class Destinations {
  readonly capacities: FreeCapacities;
  private readonly survey: Survey;
  private readonly takenGiB = new Map<string, number>();

  constructor(survey: Survey) {
    this.survey = survey;
    this.capacities = new FreeCapacities(survey);
  }

  /** Why this host cannot take the machine; completes "HOST …". Undefined: it can. */
  against(host: Host, outlook: MoveOutlook): string | undefined {
    const { machine, against } = outlook;
    const isKnown = this.survey.hosts.some((facts) => facts.host === host.name);
    if (!isKnown) return "does not answer";
    if (against[host.name] !== undefined) return against[host.name];
    const free = this.capacities.of(host);
    if (!this.capacities.hasMemory(host, machine))
      return `has ${gib(free.memoryMiB / 1024)} of memory free, and it needs ${gib(machine.memoryMiB / 1024)}`;
    if (!this.capacities.hasCores(host, machine))
      return `has ${coresText(Math.max(0, free.cores))} free, and it needs ${machine.cores}`;
    const disks = copiedDisks(outlook, host);
    for (const storage of new Set(disks.map((disk) => disk.storage))) {
      const neededGiB = sizeOn(storage, disks);
      const freeGiB = this.freeGiB(host, storage);
      if (freeGiB < neededGiB)
        return `has ${gib(freeGiB)} free on "${storage}", and its disks need ${gib(neededGiB)}`;
    }
    return undefined;
  }

  /** The machine goes there; what `capacities` is told is for the caller, who may count it among others. */
  takeSpace(host: Host, outlook: MoveOutlook): void {
    for (const { storage, sizeGiB } of copiedDisks(outlook, host)) {
      const key = `${host.name} ${storage}`;
      this.takenGiB.set(key, (this.takenGiB.get(key) ?? 0) + sizeGiB);
    }
  }

  private freeGiB(host: Host, storage: string): number {
    const { storages = [] } = this.survey.hosts.find((facts) => facts.host === host.name) ?? {};
    const free = storages.find(({ name }) => name === storage)?.freeGiB ?? 0;
    return free - (this.takenGiB.get(`${host.name} ${storage}`) ?? 0);
  }
}

/** What is copied when it goes to this host. */
export const copiedDisks = ({ disks, disksTo }: MoveOutlook, { name }: Pick<Host, "name">): CopiedDisk[] =>
  disksTo?.[name] ?? disks;

const sizeOn = (storage: string, disks: MoveOutlook["disks"]): number =>
  disks.filter((disk) => disk.storage === storage).reduce((sum, disk) => sum + disk.sizeGiB, 0);

const gib = (amount: number): string => `${Math.max(0, Math.round(amount * 10) / 10)} GiB`;

const coresText = (count: number): string => (count === 1 ? "1 core" : `${count} cores`);
