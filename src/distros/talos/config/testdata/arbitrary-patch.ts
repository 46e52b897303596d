import type { YamlValue } from "../../../../lib/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { isMap } from "../patch/merge.ts";

/** Numbers from 0 to below 1, the same for the same seed. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A patch for `config`: parts of another config, so that every value has the right type, and deletions of what is there.
 * Of each document the heading stays.
 */
export function patchFrom(
  config: MachineConfigDocument[],
  other: MachineConfigDocument[],
  next: () => number,
): MachineConfigDocument[] {
  const [main = {}, ...documents] = other;
  const parts = documents.filter(() => next() < 0.4).map((document) => ({ ...headingOf(document), ...thinned(document, next) }));
  const deleted = new Set(parts.map(identity));
  const gone = config
    .slice(1)
    .filter((document) => next() < 0.1 && !deleted.has(identity(document)))
    .map((document) => ({ ...headingOf(document), $patch: "delete" }));
  const section = next() < 0.8 ? thinned(main, next) : {};
  const removal = next() < 0.5 ? deletionIn(config[0] ?? {}, next) : {};
  return [joined({ version: "v1alpha1", debug: false, ...section }, removal), ...parts, ...gone];
}

/** Operations on places that are there. */
export function operationsFor(config: MachineConfigDocument, next: () => number): MachineConfigDocument[] {
  const path = pathIn(config, next).map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"));
  const pointer = `/${path.join("/")}`;
  const added = { op: "add", path: "/machine/sysctls", value: { "a/b": "c" } };
  return next() < 0.5
    ? [added, { op: "remove", path: pointer }]
    : [added, { op: "replace", path: "/machine/sysctls/a~1b", value: "d" }];
}

const headingOf = ({ apiVersion, kind, name }: MachineConfigDocument): MachineConfigDocument => ({
  apiVersion,
  kind,
  ...(name !== undefined && { name }),
});

const identity = ({ kind, name }: MachineConfigDocument): string => JSON.stringify([kind, name]);

/** The same without some of its keys. Lists stay whole: an item without its key is no item. */
function thinned(value: MachineConfigDocument, next: () => number): MachineConfigDocument {
  const kept = Object.entries(value).filter(() => next() < 0.7);
  return Object.fromEntries(kept.map(([key, inner]) => [key, isMap(inner) ? thinned(inner, next) : inner]));
}

/** Keys down to a random place. */
function pathIn(value: MachineConfigDocument, next: () => number): string[] {
  const keys = Object.keys(value).filter((key) => value[key] !== undefined && key !== "version");
  const key = keys[Math.floor(next() * keys.length)];
  if (key === undefined) return [];
  const inner = value[key];
  return isMap(inner) && Object.keys(inner).length > 0 && next() < 0.75 ? [key, ...pathIn(inner, next)] : [key];
}

function deletionIn(config: MachineConfigDocument, next: () => number): MachineConfigDocument {
  const path = pathIn(config, next);
  if (path.length < 2) return {};
  return path.reduceRight<YamlValue>((inner, key) => ({ [key]: inner }), { $patch: "delete" }) as MachineConfigDocument;
}

/** Both maps in one; where they meet, the deletion stays. */
function joined(left: MachineConfigDocument, right: MachineConfigDocument): MachineConfigDocument {
  const result: MachineConfigDocument = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const there = result[key];
    result[key] = isMap(there) && isMap(value) && value["$patch"] === undefined ? joined(there, value) : value;
  }
  return result;
}
