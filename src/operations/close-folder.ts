import fs from "node:fs/promises";
import path from "node:path";
import { folderOpen } from "./run-errors.ts";

const othersWrite = 0o022;

/**
 * Whoever may write beside the secrets can put others in their place. Folders that let others do so are closed to them, and
 * told; a run ends where that cannot be done.
 */
export async function closeFolder(
  folder: string,
  clusters: string[],
  warn: (text: string) => void,
): Promise<void> {
  const folders = [folder, ...clusters.map((cluster) => path.join(folder, cluster))];
  for (const each of folders) {
    const found = await fs.stat(each).catch(() => undefined);
    if (!found || (found.mode & othersWrite) === 0) continue;
    const mode = found.mode & 0o777;
    await fs.chmod(each, mode & ~othersWrite).catch((cause: unknown) => {
      throw folderOpen({ folder: each, mode: octal(mode), cause });
    });
    const changed = `${octal(mode)}, now ${octal(mode & ~othersWrite)}`;
    warn(`other users could write in "${each}" (mode ${changed}); see that its files are yours`);
  }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, "0");
