import { adoptCluster, type AdoptRequest } from "../../operations/index.ts";
import { adoptFromWhat } from "../errors.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import { readInput, refusingInput } from "../input/read-input.ts";
import type { Shell } from "../shell.ts";
import { renderAdoption, rowsOn } from "../views/index.ts";

interface AdoptOptions extends CommonOptions {
  secrets?: string;
  talosconfig?: string;
  node?: string;
}

export async function run(shell: Shell, options: AdoptOptions, [cluster = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const work = async (): Promise<void> => {
    const from = await sourceOf(options, cluster);
    const world = openWorld(shell, options, fleet);
    const adoption = await adoptCluster({ fleet, cluster, from }, world);
    if (options.json) shell.lines.tell({ type: "adopted", ...adoption });
    else shell.out.write(renderAdoption(adoption, rowsOn(shell.out)));
  };
  return refusingInput(shell, work, isOutside);
}

/** What nodes refuse or do not answer is not the fault of the request. */
const isOutside = (code: string): boolean =>
  /^TALOS_(?!TALOSCONFIG_)/.test(code) || code.endsWith("_NOT_WRITTEN");

async function sourceOf(options: AdoptOptions, cluster: string): Promise<AdoptRequest["from"]> {
  const { secrets, talosconfig, node } = options;
  if (secrets !== undefined && talosconfig === undefined && node === undefined)
    return { secrets: await readInput(secrets), file: secrets };
  if (talosconfig === undefined || secrets !== undefined) throw adoptFromWhat(cluster);
  return {
    talosconfig: await readInput(talosconfig),
    file: talosconfig,
    node,
  };
}
