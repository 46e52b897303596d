import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../lib/index.ts";
import { gitignore } from "./file-forms.ts";

const everything = "*\n";

/** All stays out of git, or with encryption all but what is encrypted. What a person has written there is left alone. */
export async function hideFromGit(folder: string, isEncrypted: boolean): Promise<void> {
  const file = path.join(folder, ".gitignore");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, isEncrypted ? gitignore : everything, { flag: "wx" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    if (isEncrypted && (await readFile(file, "utf8")) === everything) await replaceFile(file, gitignore);
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
