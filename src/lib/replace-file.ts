import { randomBytes } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes a private file so that a reader sees the old text or the new one, never half of one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(4).toString("hex")}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}
