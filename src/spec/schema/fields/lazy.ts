import { z } from "zod";

/**
 * A part of the schema that is made once a file has it: most files have few of the hundreds there are. Only for what must
 * be written as it stands: asked whether it may be left out, it would have to be made.
 */
export function lazy<T extends z.ZodType>(make: () => T): z.ZodLazy<T> {
  const part = z.lazy(make);
  const { _zod: internals } = part;
  Object.defineProperties(internals, { optin: { value: undefined }, optout: { value: undefined } });
  return part;
}
