import { link, mkdir, open, readFile, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Random } from "../lib/index.ts";
import { gitignore } from "./at-rest.ts";

/**
 * True when this call wrote the file, false when it was already there.
 * A hard link either makes the complete file appear or fails, whoever else tries at the same moment.
 */
export async function writeOnce(
  file: string,
  text: string,
  { folder, random, isEncrypted = false }: { folder: string; random: Random; isEncrypted?: boolean },
): Promise<boolean> {
  const draft = `${file}.${random.bytes(6).toString("hex")}.draft`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await hideFromGit(folder, isEncrypted);
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

const everything = "*\n";

/** All stays out of git, or with encryption all but what is encrypted. What a person has written there is left alone. */
export async function hideFromGit(folder: string, isEncrypted: boolean): Promise<void> {
  const file = path.join(folder, ".gitignore");
  try {
    await writeFile(file, isEncrypted ? gitignore : everything, { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    if (isEncrypted && (await readFile(file, "utf8")) === everything) await writeFile(file, gitignore);
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
