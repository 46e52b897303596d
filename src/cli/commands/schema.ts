import { addons } from "../../addons/index.ts";
import { fleetJsonSchema } from "../../spec/index.ts";
import type { Shell } from "../shell.ts";

export async function run(shell: Shell): Promise<number> {
  shell.out.write(`${JSON.stringify(fleetJsonSchema(addons), null, 2)}\n`);
  return 0;
}
