import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../lib/index.ts";
import { formOf, forms, nameInForm } from "../../../secrets/index.ts";
import { secretKeyUnfit } from "../../errors.ts";

/** Files of a folder as keys of a Secret or a ConfigMap, and back. */

/** Keys of Secrets have no slashes. */
export const keyOfFile = (name: string): string => name.replaceAll("/", "__");
export const fileOfKey = (folder: string, key: string): string =>
  fileBelow(folder, key.replaceAll("__", "/"));

/** Whoever may write a Secret must not thereby choose which file is written. */
export function fileBelow(folder: string, name: string): string {
  const file = path.join(folder, name);
  if (!file.startsWith(folder + path.sep)) throw secretKeyUnfit({ folder, key: name });
  return file;
}

/** The name that a file of this key has as a plain one: `ssh/id_ed25519`. */
export const plainNameOfKey = (key: string): string => formOf(key.replaceAll("__", "/")).name;

/** The names a file may have: plain, or encrypted in one of two ways. */
export const formsOf = (name: string): string[] => forms.map((form) => nameInForm(name, form));

export const bytesOf = (own: string, name: string): Promise<Buffer | undefined> =>
  readFile(path.join(own, name)).catch(() => undefined);

/** A file that says so already is left alone. */
export async function put(file: string, bytes: Buffer): Promise<void> {
  const found = await readFile(file).catch(() => undefined);
  if (found?.equals(bytes) !== true) await replaceFile(file, bytes);
}

export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}
