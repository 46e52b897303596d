import { z } from "zod";
import { chartFieldsOfAddon } from "../../spec/index.ts";

/** For an add-on with nothing to choose beyond what every chart has. */
export const optionsOf = (name: string, description: string) => ({
  schema: z
    .strictObject(chartFieldsOfAddon)
    .register(z.globalRegistry, { id: `addon-${name}`, description, examples: [{}] }),
  complete: (): NoOptions => ({}),
});

export type NoOptions = Record<string, never>;
