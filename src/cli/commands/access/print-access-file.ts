import { readFile } from "node:fs/promises";
import path from "node:path";
import { factsOf, parseSelection, selectClusters } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { chooseCluster, noAccessFile, noKubernetes, noTalosThere } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";

/** Prints a file from the cluster's folder, so that a person or a script can put it where it is looked for. */
export async function printAccessFile(
  shell: Shell,
  options: CommonOptions,
  cluster: string | undefined,
  name: "kubeconfig" | "talosconfig",
): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
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
  shell.disclose(options.json ? `${JSON.stringify({ v: 1, cluster: only, file, [name]: text })}\n` : text);
  return 0;
}
