import { SlipwayError, type ErrorFields } from "./slipway-error.ts";

/** What an error says, made from its facts. */
export type ErrorText = Omit<ErrorFields, "code">;

/** One kind of error: called with its facts it makes the error; code and text can also be read without one. */
export interface ErrorDefinition<Facts extends unknown[]> {
  (...facts: Facts): SlipwayError;
  readonly code: string;
  readonly text: (...facts: Facts) => ErrorText;
  readonly variants: readonly Variant<Facts>[];
}

/** Facts that change the wording and not only the values in it; all others may be left out. */
type Variant<Facts extends unknown[]> = { [Place in keyof Facts]?: Some<Facts[Place]> | undefined };
type Some<Fact> = Fact extends string | number | boolean | Error
  ? Fact
  : Fact extends readonly (infer Item)[]
    ? readonly Some<Item>[]
    : { [Name in keyof Fact]?: Some<Fact[Name]> | undefined };

/**
 * Declares an error: its permanent code, and its text as a pure function of the facts. docs/errors.md is made by calling
 * that function with placeholders, and once more for each of the `variants`, so that both sides of a condition are shown.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineError<Facts extends unknown[]>(
  code: string,
  text: (...facts: Facts) => ErrorText,
  ...variants: Variant<NoInfer<Facts>>[]
): ErrorDefinition<Facts> {
  return Object.assign((...facts: Facts) => new SlipwayError({ code, ...text(...facts) }), {
    code,
    text,
    variants,
  });
}
