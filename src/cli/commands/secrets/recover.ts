import path from "node:path";
import { recoverClusterSecrets } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { readInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { renderRecovered } from "../../views/index.ts";
import { onlyCluster } from "../rotation/ca.ts";

interface RecoverOptions extends CommonOptions {
  talosconfig?: string;
  sshKey?: string;
}

export async function run(shell: Shell, options: RecoverOptions, [name]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const cluster = onlyCluster(fleet, name);
  const given = options.talosconfig ?? options.sshKey;
  const credential = given === undefined ? undefined : { text: await readInput(given), file: given };
  const world = openWorld(shell, options, fleet);
  const { file, isNew, provenBy } = await recoverClusterSecrets({ fleet, cluster, credential }, world);
  if (options.json) {
    shell.lines.tell({ type: "recovered", cluster: cluster.name, file, isNew, provenBy });
    return 0;
  }
  const shown = { cluster: cluster.name, file: path.relative("", file), isNew, provenBy };
  shell.out.write(renderRecovered(shown, shell.out));
  return 0;
}
