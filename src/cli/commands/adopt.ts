import { adoptCluster, type Adoption, type AdoptRequest, type FoundNode } from "../../operations/index.ts";
import { adoptFromWhat } from "../errors.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../input/open-world.ts";
import type { CommonOptions } from "../options.ts";
import { readInput, refusingInput } from "../input/read-input.ts";
import type { Shell } from "../shell.ts";
import { style } from "../views/index.ts";

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
    else show(shell, adoption);
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

const states: Record<FoundNode["state"], string> = {
  ours: "answers with these secrets",
  maintenance: "waits for its first config",
  "other-cluster": "belongs to another cluster",
  unreachable: "does not answer",
};

/** How many nodes are listed before the rest is only counted. */
const mostShown = 20;

function show(shell: Shell, { cluster, file, isNew, nodes }: Adoption): void {
  const { glyphs, paint } = style(shell.out);
  const write = (text: string): void => shell.out.write(`${text}\n`);
  const done = paint("ok", glyphs.done);
  write(`${done} ${file} ${isNew ? "written" : "was there already"}: the secrets of ${cluster}`);
  const nameWidth = Math.max(...nodes.map(({ node }) => node.length));
  const addressWidth = Math.max(...nodes.map(({ address }) => address.length));
  for (const { node, address, state, know } of nodes.slice(0, mostShown)) {
    const why = know === undefined ? "" : `: ${know}`;
    write(`  ${node.padEnd(nameWidth)}   ${address.padEnd(addressWidth)}   ${states[state]}${why}`);
  }
  if (nodes.length > mostShown) write(`  and ${nodes.length - mostShown} more`);
  const ours = nodes.filter(({ state }) => state === "ours").length;
  write(`  ${ours} of ${nodes.length} nodes of the file answer with these secrets`);
  write(`  next  slipway plan ${cluster}`);
}
