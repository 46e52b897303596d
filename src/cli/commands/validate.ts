import { gitWorld } from "../../world/index.ts";
import { refuseSecretsInGit } from "../../operations/index.ts";
import { formatValid } from "../../spec/index.ts";
import { formatFor, loadOrExplain } from "../input/load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { refusingInput } from "../input/read-input.ts";
import type { Shell } from "../shell.ts";

export async function run(shell: Shell, given: CommonOptions, [file]: string[]): Promise<number> {
  const options = { ...given, file: file ?? given.file };
  const fleet = await loadOrExplain(shell, options, true);
  if (!fleet) return 2;
  return refusingInput(shell, async () => {
    await refuseSecretsInGit(fleet, gitWorld({ file: options.file, env: shell.env, stop: shell.stop }));
    const { clusters, hosts } = fleet;
    const nodes = clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0);
    const counts = { file: options.file, clusters: clusters.length, nodes, hosts: hosts.length };
    if (options.json) shell.lines.tell({ type: "valid", ...counts });
    else shell.out.write(`${formatValid(fleet, formatFor(shell.out))}\n`);
  });
}
