import type { Consequence, FieldChange } from "../../plan/index.ts";

/** Where a machine is not as the file says. */
export interface Deviation extends FieldChange {
  consequence: Consequence;
  loses?: string;
  /** Only a new machine can be as wanted. */
  isReplaced?: true;
}

/** Nothing when both are alike. */
export const deviates = (
  field: string,
  from: string | number,
  to: string | number,
  rest: Omit<Deviation, keyof FieldChange>,
): Deviation[] => (from === to ? [] : [{ field, from: String(from), to: String(to), ...rest }]);

export const gib = (sizeGiB: number): string => `${Math.round(sizeGiB * 100) / 100} GiB`;
export const onOff = (isOn: boolean): string => (isOn ? "on" : "off");
