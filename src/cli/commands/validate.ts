import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import { renderValid } from "../views/index.ts";

export async function run(shell: Shell, options: CommonOptions): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const nodes = fleet.clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0);
  const counts = { file: options.file, clusters: fleet.clusters.length, nodes, hosts: fleet.hosts.length };
  shell.out.write(options.json ? `${JSON.stringify({ v: 1, type: "valid", ...counts })}\n` : renderValid(counts, shell.out));
  return 0;
}
