import { z } from "zod";
import { field, type FieldNotes, quote, type Refusal, refuse, textField } from "./field.ts";

const namePart = "[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";
const keyPattern = new RegExp(`^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?${namePart}$`);
const valuePattern = new RegExp(`^(${namePart})?$`);

export const labelValue = (notes: FieldNotes) =>
  textField(notes, {
    pattern: valuePattern,
    code: "SPEC_BAD_LABEL",
    isNot: "the value of a label",
    next: "Write a text of at most 63 letters, digits and . _ -; numbers and true in quotes",
  });

export const taint = field(
  { type: "string", description: "`EFFECT` or `VALUE:EFFECT`." },
  (written): string | Refusal => {
    const found =
      typeof written === "string"
        ? /^(?:(.*):)?(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(written)
        : null;
    if (found && valuePattern.test(found[1] ?? "")) return String(written);
    const next = "Write NoSchedule, PreferNoSchedule or NoExecute, with VALUE: in front if it has one";
    return refuse("SPEC_BAD_TAINT", `${quote(written)} is not a taint`, next);
  },
);

/** Labels and taints are maps from keys that Kubernetes has rules for. */
export const keyed = <T extends z.ZodType>(value: T) => z.record(z.string().regex(keyPattern), value);
