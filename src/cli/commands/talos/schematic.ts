import { readSchematic, schematicId, schematicYaml } from "../../../images/index.ts";
import { readInput, refusingInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";

/** The id the image factory would give, without asking it. */
export const run = (shell: Shell, options: { json?: boolean }, [file = ""]: string[]): Promise<number> =>
  refusingInput(shell, async () => {
    const schematic = readSchematic(await readInput(file), file);
    const id = schematicId(schematic);
    if (options.json) shell.lines.tell({ type: "schematic", file, id, schematic: schematicYaml(schematic) });
    else shell.out.write(`${id}\n`);
  });
