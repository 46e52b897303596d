import { addons } from "../../addons/index.ts";
import { fleetJsonSchema } from "../../spec/index.ts";
import { outputJsonSchema } from "../output/lines/output-line.ts";
import type { Shell } from "../shell.ts";

export async function run(shell: Shell, options: { jsonOutput?: boolean } = {}): Promise<number> {
  const schema = options.jsonOutput ? outputJsonSchema() : fleetJsonSchema(addons);
  shell.out.write(`${JSON.stringify(schema, null, 2)}\n`);
  return 0;
}
