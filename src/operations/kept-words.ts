import type { Survey } from "../plan/index.ts";
import { isGoing, type Going } from "./going.ts";

/** Data disks that outlive their machines: those about to be set aside, and those set aside before. */
export function keptDiskCount(going: Going, survey: Survey, losesData: boolean): number {
  if (losesData) return 0;
  const coming = survey.machines.filter(isGoing(going)).flatMap((machine) => machine.keptDisks);
  return coming.length + survey.keptDisks.filter(isGoing(going)).length;
}

/** `2 data disks, secrets of lab`. */
export function keptWords({ going, keptDisks }: { going: Going; keptDisks: number }): string {
  const disks = keptDisks === 0 ? [] : [diskWords(keptDisks)];
  return [...disks, ...going.names.map((name) => `secrets of ${name}`)].join(", ");
}

/** What there is still to say when nothing is left to remove. */
export const leftWords = ({ going, keptDisks }: { going: Going; keptDisks: number }): string =>
  keptDisks === 0
    ? ""
    : `${diskWords(keptDisks)}; to lose them too: slipway down ${going.names.join(" ")} --with-data`;

const diskWords = (count: number): string => (count === 1 ? "1 data disk" : `${count} data disks`);
