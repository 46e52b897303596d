import path from "node:path";
import type { KubeClient } from "../../../clients/kube/index.ts";
import { removeFiles, type Random } from "../../../lib/index.ts";
import { formOf, nameInForm, type AgeKeys } from "../../../secrets/index.ts";
import { ageKeyMissing, documentMissing, documentTwice } from "../../errors.ts";
import type { SlipwayCluster } from "../../objects/index.ts";
import {
  demandApart,
  demandOpens,
  documentSourceOf,
  readDocuments,
  sourceText,
  type DocumentSource,
} from "./documents.ts";
import { fileBelow, fileOfKey, filesIn, formsOf, keyOfFile, plainNameOfKey, put } from "./files-by-key.ts";
import { sealedFiles, sealedKey } from "./sealed-files.ts";

/** How a cluster is opened whose secrets come as documents. */
export interface Opening {
  /** What opens the documents, and whatever the controller keeps beside them. */
  keys: AgeKeys;
  /** Whom it is closed to. */
  recipient: string;
  /** The file of secrets that the cluster cannot be without, where it has one. */
  bundle?: string | undefined;
}

/** What the cluster's own Secret holds, by key, and whether that is other than what was laid out. */
export interface Held {
  files: ReadonlyMap<string, Buffer>;
  isOther: boolean;
}

export interface DocumentFiles {
  /** Whether this file of the folder comes from git. */
  has(name: string): boolean;
  /** Lays out what the documents hold, and the cluster's own Secret beside them. */
  layOut(held: Held, opening: Opening | undefined): Promise<void>;
  /** Files of the folder as they may be kept: those that lie open are sealed. */
  closed(files: ReadonlyMap<string, Buffer>): Promise<Map<string, Buffer>>;
}

export interface DocumentFilesOptions {
  client: Pick<KubeClient, "get">;
  object: SlipwayCluster;
  namespace: string;
  random: Random;
  /** The folder of the cluster. */
  own: string;
  /** The Secret that the controller keeps files of the cluster in. */
  secretName: string;
}

/** Undefined where the object names no documents. */
export function documentFiles(options: DocumentFilesOptions): DocumentFiles | undefined {
  const { client, object, namespace, random, own, secretName } = options;
  const source = documentSourceOf(object);
  if (!source) return undefined;
  const cluster = object.metadata.name;
  const sealing = sealedFiles(random);
  /** As they were last opened, by key. */
  let opened = { keys: undefined as AgeKeys | undefined, files: new Map<string, Buffer>() };
  let fromGit = new Set<string>();
  let recipient: string | undefined;

  const openAll = async (documents: ReadonlyMap<string, Buffer>, keys: AgeKeys): Promise<void> => {
    for (const [key, bytes] of documents)
      if (opened.keys !== keys || opened.files.get(key)?.equals(bytes) !== true)
        await demandOpens(key, bytes, source, keys);
    opened = { keys, files: new Map(documents) };
  };

  const layOutHeld = async (held: ReadonlyMap<string, Buffer>, keys: AgeKeys): Promise<void> => {
    for (const [key, bytes] of held) {
      const sealed = key === sealedKey ? await sealing.open(bytes, keys) : undefined;
      if (!sealed) await put(fileOfKey(own, key), bytes);
      for (const [name, plain] of sealed ?? []) await put(fileBelow(own, name), plain);
    }
  };

  return {
    has: (name) => fromGit.has(name),
    async layOut({ files: held, isOther }, opening) {
      if (!opening) throw ageKeyMissing({ hosts: object.spec.hosts, why: "spec.ageKey is not set" });
      const { keys, bundle } = opening;
      recipient = opening.recipient;
      demandApart(source, secretName);
      const found = await readDocuments(client, namespace, source);
      // Whoever takes objects out of git often takes both: what is known of the cluster does for its end.
      const isLeaving = object.metadata.deletionTimestamp !== undefined && !found;
      const documents = found ?? new Map<string, Buffer>();
      const files = new Map([...documents].map(([key, bytes]) => [fileOfKey(own, key), bytes]));
      if (!isLeaving) demandBundle({ cluster, source, bundle, found });
      await openAll(documents, keys);
      demandOnce(documents, held, { source, secretName, namespace });
      fromGit = new Set([...files.keys()].map((file) => path.relative(own, file)));
      if (isOther) await layOutHeld(held, keys);
      for (const [file, bytes] of files) await put(file, bytes);
      if (!isLeaving) await removeFormer(own, new Set([...fromGit].map(keyOfFile)), held);
    },
    async closed(found) {
      const isPlain = (name: string): boolean => formOf(name).form === "plain";
      const kept = new Map([...found].filter(([name]) => !isPlain(name)));
      const plain = new Map([...found].filter(([name]) => isPlain(name)));
      if (plain.size > 0 && recipient !== undefined)
        kept.set(sealedKey, await sealing.seal(plain, recipient));
      return kept;
    },
  };
}

interface Demanded {
  cluster: string;
  source: DocumentSource;
  bundle: string | undefined;
  found: ReadonlyMap<string, Buffer> | undefined;
}

/** Secrets that are made because a document is late would be others than those of the cluster. */
function demandBundle({ cluster, source, bundle, found }: Demanded): void {
  const names = [...(found?.keys() ?? [])].map(plainNameOfKey);
  if (found && (bundle === undefined || names.includes(bundle))) return;
  const wanted = nameInForm(bundle ?? "secrets.yaml", "sops");
  const why = found ? `it holds no ${wanted}` : "there is no such object in this namespace";
  throw documentMissing({ cluster, source: sourceText(source), bundle: wanted, why });
}

/** The same file must not come from two places. */
function demandOnce(
  documents: ReadonlyMap<string, Buffer>,
  held: ReadonlyMap<string, Buffer>,
  { source, secretName, namespace }: { source: DocumentSource; secretName: string; namespace: string },
): void {
  for (const [key, bytes] of documents)
    for (const other of formsOf(plainNameOfKey(key)).map(keyOfFile)) {
      const kept = held.get(other);
      if (kept === undefined || (other === key && kept.equals(bytes))) continue;
      throw documentTwice({ key, source: sourceText(source), secret: secretName, namespace, heldKey: other });
    }
}

/** Documents that git does not have any more. */
async function removeFormer(
  own: string,
  documents: ReadonlySet<string>,
  held: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const former = (await filesIn(own)).filter((name) => {
    const key = keyOfFile(name);
    return formOf(name).form !== "plain" && !documents.has(key) && !held.has(key);
  });
  await removeFiles(former.map((name) => path.join(own, name)));
}
