import type { SlipwayError } from "../../../../errors/index.ts";
import type { YamlValue } from "../../../../lib/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import type { ConfigPatch } from "./config-patch.ts";
import { minorOf } from "../contract.ts";
import { deleteFrom, splitDeletions } from "./deletions.ts";
import { isMainDocument, shapeOf } from "../shapes/document-shapes.ts";
import { patchRefused } from "../errors.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { isMap, MergeConflict, mergeValue } from "./merge.ts";
import { lineOf } from "./patch-lines.ts";
import { tidyDocument } from "./tidy.ts";

/**
 * Merges patches in their order by the rules of `talosctl` and writes all in its order. The input is not changed.
 * A few rules changed over time; `talos` is the version whose rules count, else the newest do.
 */
export function patchMachineConfig(
  documents: MachineConfigDocument[],
  patches: readonly ConfigPatch[],
  talos?: string,
): MachineConfigDocument[] {
  const minor = talos === undefined ? undefined : minorOf(talos);
  let current = documents;
  for (const patch of patches) {
    try {
      current = applyPatch(current, patch.documents, minor);
    } catch (error) {
      if (error instanceof MergeConflict) throw conflictError(patch, error);
      throw error;
    }
  }
  return current.map((document) => tidyDocument(shapeOf(document), withTrimmedManifests(document)));
}

function conflictError(patch: ConfigPatch, conflict: MergeConflict): SlipwayError {
  const { document = 0, operation, path, message } = conflict;
  const line = lineOf(patch.text, document, operation === undefined ? path : `[${operation}]`);
  return patchRefused({ source: patch.source, line, path, message });
}

/**
 * Several documents of one kind and name apply in their order, so one can be deleted and then written again. Only one of
 * them may have anything to merge. What is merged into the main document comes after all that is deleted from it.
 */
function applyPatch(
  documents: MachineConfigDocument[],
  patch: readonly unknown[],
  minor: number | undefined,
): MachineConfigDocument[] {
  const seen = new Set<string>();
  const parts = [...patch.entries()].filter(([, part]) => part !== null && part !== undefined);
  const main = parts.filter(([, part]) => mergesIntoMain(part));
  const others = parts.filter(([, part]) => !mergesIntoMain(part));
  let current = documents;
  for (const [index, part] of [...others, ...main]) {
    try {
      current = applyPart(current, part as YamlValue, seen, minor);
    } catch (error) {
      if (error instanceof MergeConflict) error.document = index;
      throw error;
    }
  }
  return current;
}

const mergesIntoMain = (part: unknown): boolean =>
  isMap(part as YamlValue) &&
  isMainDocument(part as MachineConfigDocument) &&
  hasContent(part as MachineConfigDocument);

/** Whether anything is left of a document of a patch besides what it deletes. */
function hasContent(part: MachineConfigDocument): boolean {
  const { isWhole, deletions, rest } = splitDeletions(part);
  if (isWhole) return false;
  return part["kind"] !== undefined || deletions.length === 0 || !isOnlyHeading(rest);
}

function applyPart(
  documents: MachineConfigDocument[],
  part: YamlValue,
  seen: Set<string>,
  minor: number | undefined,
): MachineConfigDocument[] {
  if (Array.isArray(part)) return applyOperations(documents, part as YamlValue[]);
  if (!isMap(part)) throw new MergeConflict("", "it is neither a part of a machine config nor a JSON patch");
  const id = identityOf(part);
  if (hasContent(part)) {
    if (seen.has(id)) throw new MergeConflict("", `it has two documents "${id}"`);
    seen.add(id);
  }
  return applyDocument(documents, part, id, minor);
}

function applyOperations(
  documents: MachineConfigDocument[],
  operations: YamlValue[],
): MachineConfigDocument[] {
  const [only, ...others] = documents;
  if (!only || others.length > 0)
    throw new MergeConflict(
      "",
      "it is a JSON patch, and Talos takes those only for configs of one document; write it as a part of the config instead",
    );
  const patched = applyJsonPatch(only, operations) as MachineConfigDocument;
  // Merged onto nothing it stays the same, unless it has become something Talos does not know.
  return [mergeValue(shapeOf(only), undefined, patched, "") as MachineConfigDocument];
}

function applyDocument(
  documents: MachineConfigDocument[],
  part: MachineConfigDocument,
  id: string,
  minor: number | undefined,
): MachineConfigDocument[] {
  const { isWhole, deletions, rest } = splitDeletions(part);
  const index = documents.findIndex((document) => identityOf(document) === id);
  if (isWhole) {
    if (id === mainIdentity) throw new MergeConflict("", "the main document cannot be deleted");
    return index < 0 ? documents : documents.toSpliced(index, 1);
  }
  const found = documents[index];
  if (!found) {
    const made = mergeValue(shapeOf(rest), undefined, rest, "") as MachineConfigDocument;
    // A heading is all that is left of a patch that only deletes; alone it is a document of its own.
    return deletions.length > 0 && isOnlyHeading(rest) ? documents : [...documents, made];
  }
  const emptied = deletions.reduce(
    (document, deletion) => deleteFrom(document, deletion, shapeOf(found)),
    found,
  );
  const merged =
    deletions.length > 0 && isOnlyHeading(rest)
      ? emptied
      : mergeValue(shapeOf(found, minor), emptied, rest, "");
  return documents.with(index, merged as MachineConfigDocument);
}

const mainIdentity = "v1alpha1";

function identityOf(document: MachineConfigDocument): string {
  const { apiVersion, kind, name } = document;
  if (kind === undefined) {
    if (isMainDocument(document) || document["version"] !== undefined) return mainIdentity;
    throw new MergeConflict("", 'it has none of the keys "machine", "cluster" and "kind"');
  }
  return [apiVersion, kind, name].filter((part) => part !== undefined).join(" ");
}

const isOnlyHeading = (document: MachineConfigDocument): boolean =>
  Object.keys(document).every((key) => ["version", "apiVersion", "kind", "name"].includes(key));

/** Talos drops blank lines before an inline manifest when it reads the config. */
function withTrimmedManifests(document: MachineConfigDocument): MachineConfigDocument {
  const { cluster } = document;
  if (!isMainDocument(document) || !isMap(cluster) || !Array.isArray(cluster["inlineManifests"]))
    return document;
  const inlineManifests = (cluster["inlineManifests"] as YamlValue[]).map((manifest) =>
    isMap(manifest) && typeof manifest["contents"] === "string"
      ? { ...manifest, contents: manifest["contents"].replace(/^[\t\n\v\f\r]+/, "") }
      : manifest,
  );
  return { ...document, cluster: { ...cluster, inlineManifests } };
}
