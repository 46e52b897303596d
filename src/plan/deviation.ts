import { unlessEmpty } from "../lib/index.ts";
import type { Consequence } from "./events.ts";
import { same, type Difference, type FieldChange, type Objection } from "./resource.ts";

/** Where a machine is not as the file says. */
export interface Deviation extends FieldChange {
  consequence: Consequence;
  loses?: string;
  /** Only a new machine can be as wanted. */
  isReplaced?: true;
  objection?: Objection | undefined;
}

const gravity: Consequence[] = ["hot", "disturb", "reboot", "data"];

/** Whether a machine has to be off for it. */
export const needsOff = ({ consequence }: Pick<Deviation, "consequence">): boolean =>
  gravity.indexOf(consequence) >= gravity.indexOf("reboot");

export const graver = (a: Consequence, b: Consequence): Consequence =>
  gravity.indexOf(a) > gravity.indexOf(b) ? a : b;

/** All deviations as one difference, as grave as the gravest. `keeps` is what outlives a machine that is made anew. */
export function differenceOf(found: Deviation[], keeps: string): Difference {
  if (found.length === 0) return same;
  const worst = Math.max(...found.map((each) => gravity.indexOf(each.consequence)));
  const loses = [...new Set(found.flatMap((each) => each.loses ?? []))].join(", ");
  const objections = found.flatMap((each) => each.objection ?? []);
  const isReplaced = found.some((each) => each.isReplaced);
  return {
    same: false,
    action: isReplaced ? "replace" : "update",
    consequence: gravity[worst] ?? "hot",
    fields: found.map(({ field, from, to }) => ({ field, from, to })),
    loses: loses || undefined,
    keeps: isReplaced ? keeps : undefined,
    objections: unlessEmpty(objections),
  };
}
