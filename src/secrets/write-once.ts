import { link, mkdir, open, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Random } from "../lib/index.ts";

/**
 * True when this call wrote the file, false when it was already there.
 * A hard link either makes the complete file appear or fails, whoever else tries at the same moment.
 */
export async function writeOnce(
  file: string,
  text: string,
  { folder, random }: { folder: string; random: Random },
): Promise<boolean> {
  const draft = `${file}.${random.bytes(6).toString("hex")}.draft`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await hideFromGit(folder);
  await writeDurably(draft, text);
  try {
    await link(draft, file);
    await syncFolder(path.dirname(file));
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function hideFromGit(folder: string): Promise<void> {
  try {
    await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
