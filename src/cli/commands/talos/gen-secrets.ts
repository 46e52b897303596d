import { genSecrets } from "../../../distros/talos/index.ts";
import { realClock, realRandom } from "../../../lib/index.ts";
import { bundleFromConfig, writeBundle } from "../../../secrets/index.ts";
import { readInput, refusingInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { writeOutput } from "../../output/write-output.ts";

interface GenSecretsOptions {
  outputFile: string;
  talosVersion?: string;
  fromControlplaneConfig?: string;
  force?: boolean;
}

export const run = (shell: Shell, options: GenSecretsOptions): Promise<number> =>
  refusingInput(shell, async () => {
    await writeOutput(shell, options.outputFile, await secretsText(options), options.force ?? false);
  });

async function secretsText(options: GenSecretsOptions): Promise<string> {
  const { talosVersion, fromControlplaneConfig: config } = options;
  if (config !== undefined) return writeBundle(bundleFromConfig(await readInput(config), config));
  return genSecrets({
    clock: realClock,
    random: realRandom,
    talosVersion,
  });
}
