import { existsSync } from "node:fs";
import { loadFleet } from "../../operations/index.ts";
import { isCommand } from "../command-names.ts";
import type { Shell } from "../shell.ts";
import { slipwayVersion } from "../../world/index.ts";
import { renderHome } from "../views/index.ts";

const defaultFile = "slipway.yaml";

/** `slipway` and nothing else: what is here, and what can be done. */
export async function run(shell: Shell): Promise<number> {
  const file = existsSync(defaultFile) ? await describeFile() : undefined;
  shell.out.write(renderHome({ version: slipwayVersion, offers: isCommand, file }, shell.out));
  return 0;
}

async function describeFile() {
  const loaded = await loadFleet(defaultFile);
  const isValid = "fleet" in loaded;
  return {
    name: defaultFile,
    isValid,
    clusters: isValid ? loaded.fleet.clusters.map((cluster) => cluster.name) : [],
  };
}
