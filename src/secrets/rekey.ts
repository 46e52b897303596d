import type { Form } from "./at-rest.ts";
import type { SecretFiles } from "./secret-files.ts";

export interface Rekeyed {
  name: string;
  /** Where it lies now. */
  file: string;
  before: Form;
  after: Form;
}

/**
 * Writes every secret file of a cluster as its cluster file says now, with new keys inside. All are opened before the
 * first is written: whoever lacks a key changes nothing.
 */
export async function rekeyFiles(files: SecretFiles, cluster: string): Promise<Rekeyed[]> {
  const kept = await files.list(cluster);
  const names = [...new Set(kept.map(({ name }) => name))];
  const opened: { name: string; text: string }[] = [];
  for (const name of names) opened.push({ name, text: (await files.read(cluster, name)) ?? "" });
  for (const { name, text } of opened) await files.replace(cluster, name, text);
  const now = await files.list(cluster);
  return now.map(({ name, file, form }) => ({
    name,
    file,
    before: kept.find((each) => each.name === name)?.form ?? form,
    after: form,
  }));
}
