import { field, type FieldNotes, quote, type Refusal, refuse } from "./field.ts";
import { listSome, suggest } from "../../source/suggest.ts";

/** One word of a known list; `beside` tells what may stand there that is no word. */
export function oneOf<const T extends string>(
  notes: FieldNotes,
  words: readonly T[],
  code = "SPEC_UNKNOWN_VALUE",
  beside = "",
) {
  return field({ type: "string", enum: words, ...notes }, (written): T | Refusal => {
    const found = words.find((word) => word === written);
    if (found !== undefined) return found;
    return refuse(code, `${quote(written)} is not known here`, `${adviseName(written, words)}${beside}`);
  });
}

/** The name that was probably meant, or the names there are. */
export function adviseName(written: unknown, known: readonly string[]): string {
  const near = typeof written === "string" ? suggest(written, known) : undefined;
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (known.length === 0) return "There is none to choose from yet";
  return `Known here: ${listSome(known, 12)}`;
}
