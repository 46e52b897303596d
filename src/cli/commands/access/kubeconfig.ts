import os from "node:os";
import path from "node:path";
import { mergeKubeconfig } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderMerged } from "../../views/index.ts";
import { printAccessFile, readAccessFile } from "./print-access-file.ts";

interface KubeconfigOptions extends CommonOptions {
  merge?: boolean;
  into?: string;
}

export async function run(shell: Shell, options: KubeconfigOptions, [cluster]: string[]): Promise<number> {
  if (!options.merge && options.into === undefined)
    return printAccessFile(shell, options, cluster, "kubeconfig");
  const found = await readAccessFile(shell, options, cluster, "kubeconfig");
  if (!found) return 2;
  const into = options.into ?? usualKubeconfig(shell);
  const { file } = options;
  const merged = await mergeKubeconfig({ ...found, into, file, folder: slipwayFolder(file) });
  if (options.json) {
    shell.lines.tell({ type: "merged", cluster: found.cluster, ...merged });
    return 0;
  }
  shell.out.write(renderMerged(merged, shell.out));
  return 0;
}

/** Where kubectl reads and writes. */
export function usualKubeconfig({ env }: Pick<Shell, "env">): string {
  const [first] = (env["KUBECONFIG"] ?? "").split(path.delimiter).filter((file) => file !== "");
  return first ?? path.join(env["HOME"] ?? os.homedir(), ".kube/config");
}
