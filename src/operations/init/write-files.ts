import { appendFile, chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../lib/index.ts";
import { schemaFile } from "./file-text.ts";

export interface InitFiles {
  /** The cluster file; all others stand beside it. */
  file: string;
  text: string;
  schema: string;
  /** Readable by this user alone. */
  secrets: { name: string; text: string }[];
}

const ignored = ".slipway/";

/** The cluster file comes last: where it is, all it needs is there too. Gives back what was written. */
export async function writeInitFiles({ file, text, schema, secrets }: InitFiles): Promise<string[]> {
  const folder = path.dirname(file);
  const own = path.join(folder, ".slipway");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await chmod(own, 0o700);
  const isIgnored = await ignoreSecrets(folder);
  for (const secret of secrets) await replaceFile(path.join(folder, secret.name), secret.text);
  await writeFile(path.join(folder, schemaFile), schema);
  await writeFile(file, text);
  return [file, ...secrets.map(({ name }) => name), schemaFile, ...(isIgnored ? [".gitignore"] : [])];
}

/** Keeps `.slipway/` out of git, also where the repository is made later. Says whether a line was added. */
async function ignoreSecrets(folder: string): Promise<boolean> {
  const file = path.join(folder, ".gitignore");
  const text = await readFile(file, "utf8").catch(() => "");
  if (text.split("\n").some((line) => /^\/?\.slipway\/?$/.test(line.trim()))) return false;
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${ignored}\n`);
  return true;
}
