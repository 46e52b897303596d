import { removeFiles } from "../../lib/index.ts";
import type { Form } from "./file-forms.ts";
import { plainCopies } from "./plain-copies.ts";
import type { SecretFiles } from "./secret-files.ts";

export interface Rekeyed {
  name: string;
  /** Where it lies now. */
  file: string;
  before: Form;
  /** Plain copies are removed where Slipway made them; those of others are told. */
  after: Form | "removed" | "foreign";
}

/**
 * Writes every secret file of a cluster as its cluster file says now, with new keys inside. All are opened before the
 * first is written: whoever lacks a key changes nothing. With encryption, the plain copies go that `isMadeAgain` knows.
 */
export async function rekeyFiles(
  files: SecretFiles,
  cluster: string,
  isMadeAgain: (name: string) => boolean,
): Promise<Rekeyed[]> {
  const kept = await files.list(cluster);
  const names = [...new Set(kept.map(({ name }) => name))];
  const opened: { name: string; text: string }[] = [];
  for (const name of names) opened.push({ name, text: (await files.read(cluster, name)) ?? "" });
  for (const { name, text } of opened) await files.replace(cluster, name, text);
  const copies = files.isEncrypted(cluster) ? await plainCopies(files, cluster) : [];
  const gone = copies.filter((copy) => copy.isDraft || isMadeAgain(copy.name));
  await removeFiles(gone.map(({ file }) => file));
  const now = await files.list(cluster);
  return [
    ...now.map(({ name, file, form }) => ({
      name,
      file,
      before: kept.find((each) => each.name === name)?.form ?? form,
      after: form,
    })),
    ...copies.map(({ name, file }) => ({
      name,
      file,
      before: "plain" as const,
      after: gone.some((copy) => copy.name === name) ? ("removed" as const) : ("foreign" as const),
    })),
  ];
}
