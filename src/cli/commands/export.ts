import path from "node:path";
import {
  exportDnsmasq,
  exportTalhelper,
  exportTerraform,
  parseSelection,
  type Selection,
} from "../../operations/index.ts";
import type { Fleet } from "../../spec/index.ts";
import { exportUnknown } from "../errors.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { writeOutput } from "../output/write-output.ts";

interface ExportOptions extends CommonOptions {
  output?: string;
  force?: boolean;
}

const exported = {
  dnsmasq: async (_shell: Shell, _options: CommonOptions, fleet: Fleet, selection: Selection) =>
    exportDnsmasq({ fleet, selection }),
  talhelper: (shell: Shell, options: CommonOptions, fleet: Fleet, selection: Selection) =>
    exportTalhelper({ fleet, selection }, openWorld(shell, options, fleet)),
  terraform: (shell: Shell, options: CommonOptions, fleet: Fleet, selection: Selection) =>
    exportTerraform({ fleet, selection }, openWorld(shell, options, fleet)),
};

const isFormat = (text: string): text is keyof typeof exported => Object.hasOwn(exported, text);

/** Several clusters get a folder each. */
export async function run(
  shell: Shell,
  options: ExportOptions,
  [format = "", cluster]: string[],
): Promise<number> {
  if (!isFormat(format)) throw exportUnknown(format);
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const files = await exported[format](shell, options, fleet, parseSelection(cluster));
  const isSeveral = new Set(files.map((file) => file.cluster)).size > 1;
  for (const file of files) {
    const target = path.join(options.output ?? format, isSeveral ? file.cluster : "", file.name);
    await writeOutput(shell, target, file.text, options.force ?? false);
    if (options.json) shell.lines.tell({ type: "exported", cluster: file.cluster, file: target });
  }
  return 0;
}
