import { decryptSecret } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { refusingInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";

/** Only what was in the file goes to standard output, so that it can be piped. */
export async function run(shell: Shell, options: CommonOptions, [file = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  return refusingInput(shell, async () => {
    shell.disclose(await decryptSecret(file, world));
  });
}
