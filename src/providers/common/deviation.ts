import type { Deviation, FieldChange } from "../../plan/index.ts";

/** Nothing when both are alike. */
export const deviates = <D extends Deviation = Deviation>(
  field: string,
  from: string | number,
  to: string | number,
  rest: Omit<D, keyof FieldChange>,
): D[] => (from === to ? [] : [{ field, from: String(from), to: String(to), ...rest } as D]);

export const gib = (sizeGiB: number): string => `${Math.round(sizeGiB * 100) / 100} GiB`;
export const onOff = (isOn: boolean | undefined): string => (isOn ? "on" : "off");
