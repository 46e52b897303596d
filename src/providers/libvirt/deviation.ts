import type { Deviation, FieldChange } from "../../plan/index.ts";

/** Nothing when both are alike. */
export const deviates = (
  field: string,
  from: string | number,
  to: string | number,
  rest: Omit<Deviation, keyof FieldChange>,
): Deviation[] => (from === to ? [] : [{ field, from: String(from), to: String(to), ...rest }]);

export const gib = (sizeGiB: number): string => `${Math.round(sizeGiB * 100) / 100} GiB`;
export const onOff = (isOn: boolean): string => (isOn ? "on" : "off");
