import { refuseSecretsInGit } from "../../operations/index.ts";
import { formatValid } from "../../spec/index.ts";
import { formatFor, loadOrExplain } from "../load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import { refusingInput } from "../read-input.ts";
import type { Shell } from "../shell.ts";

export async function run(shell: Shell, options: CommonOptions): Promise<number> {
  const fleet = await loadOrExplain(shell, options, true);
  if (!fleet) return 2;
  return refusingInput(shell, async () => {
    await refuseSecretsInGit(fleet, openWorld(shell, options, fleet));
    const { clusters, hosts } = fleet;
    const nodes = clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0);
    const counts = { file: options.file, clusters: clusters.length, nodes, hosts: hosts.length };
    shell.out.write(
      options.json
        ? `${JSON.stringify({ v: 1, type: "valid", ...counts })}\n`
        : `${formatValid(fleet, formatFor(shell.out))}\n`,
    );
  });
}
