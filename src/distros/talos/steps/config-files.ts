import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { SlipwayError } from "../../../errors/index.ts";
import { replaceFile } from "../../../lib/index.ts";
import type { MachineIntent } from "../config/index.ts";
import { renderConfig, type TalosAccess } from "../talos-access.ts";
import { nodeFile, type ConfigFileWant } from "./config-files-want.ts";

/**
 * Whether every config lies there as it would be written now. Ends at the first that does not. Nodes that are still to
 * come bring their file with them.
 */
export async function areConfigFilesCurrent(
  access: TalosAccess,
  cluster: string,
  wants: ConfigFileWant[],
): Promise<boolean> {
  for (const want of wants)
    if (want.isToCome !== true && !(await isCurrent(access, cluster, want))) return false;
  return true;
}

/** Writes the configs that differ, and takes away those of nodes that are no more. */
export async function writeConfigFiles(
  access: TalosAccess,
  cluster: string,
  wants: ConfigFileWant[],
): Promise<void> {
  for (const file of await staleFiles(access, cluster, wants)) await rm(file, { force: true });
  for (const want of wants) await writeConfigFile(access, cluster, want);
}

/** The file of a node that comes. */
export const writeNodeFile = (
  access: TalosAccess,
  cluster: string,
  node: string,
  intent: MachineIntent,
): Promise<void> => writeConfigFile(access, cluster, { file: nodeFile(node), intent });

async function writeConfigFile(access: TalosAccess, cluster: string, want: ConfigFileWant): Promise<void> {
  if (await isCurrent(access, cluster, want)) return;
  const file = path.join(access.folderOf(cluster), want.file);
  const text = await textOf(access, cluster, want);
  if (text === undefined) await rm(file, { force: true });
  else await replaceFile(file, text);
}

/** A machine config holds every secret of the cluster: where those are encrypted, none lies beside them. */
const isHidden = (access: TalosAccess, cluster: string): boolean => access.world.secrets.isEncrypted(cluster);

/** The file of a node that goes. */
export const removeNodeFile = (access: TalosAccess, cluster: string, node: string) =>
  rm(path.join(access.folderOf(cluster), nodeFile(node)), { force: true });

/** What is there is looked at first: where nothing lies, nothing needs to be rendered to know. */
async function isCurrent(access: TalosAccess, cluster: string, want: ConfigFileWant): Promise<boolean> {
  const file = path.join(access.folderOf(cluster), want.file);
  const found = await readFile(file, "utf8").catch(() => undefined);
  if (isHidden(access, cluster)) return found === undefined;
  if (found === undefined && want.isOptional !== true) return false;
  return found === (await textOf(access, cluster, want));
}

async function textOf(
  access: TalosAccess,
  cluster: string,
  want: ConfigFileWant,
): Promise<string | undefined> {
  if (isHidden(access, cluster)) return undefined;
  try {
    return await renderConfig(access, cluster, want.intent);
  } catch (thrown) {
    if (want.isOptional === true && thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}

/** Configs of nodes that are no longer wanted. */
async function staleFiles(access: TalosAccess, cluster: string, wants: ConfigFileWant[]): Promise<string[]> {
  const folder = path.join(access.folderOf(cluster), "nodes");
  const wanted = new Set(wants.map((want) => path.basename(want.file)));
  const found = await readdir(folder).catch((): string[] => []);
  return found
    .filter((name) => name.endsWith(".yaml") && !wanted.has(name))
    .map((name) => path.join(folder, name));
}
