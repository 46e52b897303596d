import { z } from "zod";

const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;

/** `64GiB`, in bytes. */
export const size = z
  .string()
  .regex(/^\d+(\.\d+)?(B|KiB|MiB|GiB|TiB)$/, 'is not a size; write a number and a unit, e.g. "64GiB"')
  .transform((text) => {
    const unit = /[A-Za-z]+$/.exec(text)?.[0] as keyof typeof units;
    return Math.round(Number.parseFloat(text) * units[unit]);
  });
