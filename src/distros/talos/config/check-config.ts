import type { MachineConfigDocument } from "./config-document.ts";
import type { ConfigPatch } from "./patch/config-patch.ts";
import { minorOf } from "./contract.ts";
import { configContradicts, keyUnknown, kindUnknown, patchOutdated, patchRefused } from "./errors.ts";
import { findContradictions, hasField } from "./exclusive-fields.ts";
import { isMap } from "./patch/merge.ts";
import { lineOf } from "./patch/patch-lines.ts";
import { isControlPlaneKind, kindProblem } from "./shapes/document-kinds.ts";
import { isMainDocument, shapeOf } from "./shapes/document-shapes.ts";
import { findUnknownKey, type UnknownKey } from "./shapes/unknown-keys.ts";

/** Refuses what nodes of that Talos would refuse, before anything is sent. Errors name the patch that is to blame. */
export function checkConfig(
  documents: readonly MachineConfigDocument[],
  patches: readonly ConfigPatch[],
  talos: string,
): void {
  const minor = minorOf(talos);
  refuseKinds(documents, patches, minor);
  for (const patch of patches) refuseKeysOf(patch, minor);
  for (const document of documents) {
    const found = findUnknownKey(shapeOf(document), document, minor);
    if (found) throw keyUnknown({ path: found.path, why: reason(found, minor) });
  }
  refuseContradictions(documents, patches);
}

function refuseKinds(
  documents: readonly MachineConfigDocument[],
  patches: readonly ConfigPatch[],
  minor: number,
): void {
  const isWorker = documents.some(({ machine }) => isMap(machine) && machine["type"] === "worker");
  for (const { kind } of documents) {
    if (typeof kind !== "string") continue;
    const problem =
      kindProblem(kind, minor) ??
      (isWorker && isControlPlaneKind(kind)
        ? "only control planes may have it, and this is a worker"
        : undefined);
    if (problem === undefined) continue;
    const place = lastPlace(patches, (part) => part["kind"] === kind, "kind");
    throw kindUnknown({ kind, problem, ...place });
  }
}

function refuseKeysOf(patch: ConfigPatch, minor: number): void {
  for (const [index, part] of patch.documents.entries()) {
    if (!isPart(part)) continue;
    const found = findUnknownKey(shapeOf(part), part, minor);
    if (!found) continue;
    const line = lineOf(patch.text, index, found.path);
    throw patchRefused({
      source: patch.source,
      line,
      path: found.path,
      message: reason(found, minor),
    });
  }
}

const reason = ({ since }: UnknownKey, minor: number): string =>
  since === undefined
    ? "Talos does not know this key"
    : `Talos knows this key from 1.${since} on, and the nodes run 1.${minor}`;

/** A patch for older configs meets a document that took its field's place. */
function refuseContradictions(
  documents: readonly MachineConfigDocument[],
  patches: readonly ConfigPatch[],
): void {
  const [found] = findContradictions(documents);
  if (!found) return;
  const { path, kind } = found;
  const place = lastPlace(patches, (part) => isMainDocument(part) && hasField(part, path), path);
  if (place) throw patchOutdated({ ...place, path, kind, hint: hints[kind] ?? "" });
  const bringer = lastPlace(patches, (part) => part["kind"] === kind, "kind");
  if (!bringer) throw configContradicts({ path, kind });
  throw patchRefused({
    ...bringer,
    message: `it brings a document "${kind}", and the config has "${path}" in the older form; Talos refuses both together`,
  });
}

/** Where the last patch stands that has such a part. */
function lastPlace(
  patches: readonly ConfigPatch[],
  isIt: (part: MachineConfigDocument) => boolean,
  path: string,
): { source: string; line?: number | undefined } | undefined {
  for (const patch of patches.toReversed()) {
    const index = patch.documents.findIndex((part) => isPart(part) && isIt(part));
    if (index < 0) continue;
    const line = lineOf(patch.text, index, path);
    return { source: patch.source, line };
  }
  return undefined;
}

const isPart = (part: unknown): part is MachineConfigDocument => isMap(part as MachineConfigDocument);

/** Where the way to say it changed along with the place. */
const hints: Record<string, string> = {
  KubeFlannelCNIConfig: ', or "$patch: delete" it for another CNI,',
  KubeProxyConfig: ' with "enabled: false" to switch it off',
  HostnameConfig: ' with "auto: off" and "hostname"',
  KubeNodeConfig: " (for scheduling on control planes delete its taint)",
};
