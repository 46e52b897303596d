import { readFile } from "node:fs/promises";
import path from "node:path";
import { factsOf, parseSelection, selectClusters } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { chooseCluster, noAccessFile, noKubernetes, noTalosThere } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";

export interface FoundAccessFile {
  cluster: string;
  file: string;
  text: string;
}

/** A file from the cluster's folder; undefined after the mistakes of the cluster file have been shown. */
export async function readAccessFile(
  shell: Shell,
  options: CommonOptions,
  cluster: string | undefined,
  name: "kubeconfig" | "talosconfig",
): Promise<FoundAccessFile | undefined> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return undefined;
  const [found, ...others] = selectClusters(fleet, parseSelection(cluster));
  if (!found || others.length > 0) throw chooseCluster(fleet.clusters.map((known) => known.name));
  const only = found.name;
  const { accessFiles, kubernetes } = factsOf(found);
  if (!kubernetes) throw noKubernetes(only, name);
  if (!accessFiles.some((each) => each.name === name)) throw noTalosThere(only);
  const file = path.join(slipwayFolder(options.file), only, name);
  const text = await readFile(file, "utf8").catch(() => {
    throw noAccessFile(only, name);
  });
  return { cluster: only, file, text };
}

/** Prints it, so that a person or a script can put it where it is looked for. */
export async function printAccessFile(
  shell: Shell,
  options: CommonOptions,
  wanted: string | undefined,
  name: "kubeconfig" | "talosconfig",
): Promise<number> {
  const found = await readAccessFile(shell, options, wanted, name);
  if (!found) return 2;
  const { cluster, file, text } = found;
  if (!options.json) shell.disclose(text);
  else if (name === "kubeconfig") shell.lines.disclose({ type: name, cluster, file, kubeconfig: text });
  else shell.lines.disclose({ type: name, cluster, file, talosconfig: text });
  return 0;
}
