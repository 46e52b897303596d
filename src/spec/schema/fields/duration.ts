import { field, quote, refuse, type FieldNotes, type Refusal } from "./field.ts";

const msPerUnit = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Unit = keyof typeof msPerUnit;

export const durationMs = (count: number, unit: Unit): number => count * msPerUnit[unit];

/** So long, in milliseconds: a number and one of these units, between two bounds. */
export function duration(
  notes: FieldNotes,
  rule: { units: readonly Unit[]; leastMs: number; mostMs: number; advice: string },
) {
  const { units, leastMs, mostMs, advice } = rule;
  const pattern = `^\\d+(${units.join("|")})$`;
  return field({ type: "string", pattern, ...notes }, (written): number | Refusal => {
    const found = typeof written === "string" ? new RegExp(pattern).exec(written) : undefined;
    if (!found) return refuse("SPEC_BAD_QUANTITY", `${quote(written)} is not a duration`, advice);
    const ms = durationMs(Number.parseInt(found[0], 10), found[1] as Unit);
    return ms >= leastMs && ms <= mostMs
      ? ms
      : refuse("SPEC_OUT_OF_RANGE", `${quote(written)} is out of range`, advice);
  });
}
