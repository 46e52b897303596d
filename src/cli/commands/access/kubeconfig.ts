import os from "node:os";
import path from "node:path";
import { mergeKubeconfig } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { style } from "../../views/index.ts";
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
  const into = options.into ?? usersFile(shell);
  const { file } = options;
  const merged = await mergeKubeconfig({ ...found, into, file, folder: slipwayFolder(file) });
  if (options.json) {
    shell.lines.tell({ type: "merged", cluster: found.cluster, ...merged });
    return 0;
  }
  const { glyphs, paint } = style(shell.out);
  const { context, backup, before } = merged;
  shell.out.write(`${paint("ok", glyphs.done)} ${context} is in ${merged.into}, and current\n`);
  if (backup !== undefined) shell.out.write(`  kept  ${backup} is what it was\n`);
  if (before !== undefined) shell.out.write(`  back  kubectl config use-context ${before}\n`);
  shell.out.write("  next  kubectl get nodes\n");
  return 0;
}

/** Where kubectl writes. */
function usersFile({ env }: Shell): string {
  const [first] = (env["KUBECONFIG"] ?? "").split(path.delimiter).filter((file) => file !== "");
  return first ?? path.join(env["HOME"] ?? os.homedir(), ".kube/config");
}
