import { createHash } from "node:crypto";
import { parseAllDocuments } from "yaml";
import { manifestUnreadable } from "../errors.ts";

/** An object as a chart renders it. */
export interface RenderedObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/**
 * The objects of a text with many documents. Read as Kubernetes reads YAML: `0644` is octal and `yes` is true, but
 * neither dates nor times of day become anything else than text. The items of a List stand for themselves.
 */
export function splitManifests(text: string): RenderedObject[] {
  const documents = parseAllDocuments(text, {
    version: "1.1",
    customTags: (tags) => tags.filter((tag) => !notOfKubernetes.has(tagName(tag))),
  });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document, index) => {
    if (document.errors.length > 0)
      throw manifestUnreadable(index + 1, document.errors[0]?.linePos?.[0].line);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    if (!isObject(value)) throw manifestUnreadable(index + 1);
    const { items } = value as { items?: unknown };
    if (value.kind.endsWith("List") && Array.isArray(items)) return items.filter(isObject);
    return [value];
  });
}

const notOfKubernetes = new Set(["timestamp", "intTime", "floatTime", "tag:yaml.org,2002:timestamp"]);

/** Sexagesimal numbers share their tag with plain ones and differ in their format. */
function tagName(tag: string | { tag: string; format?: string }): string {
  if (typeof tag === "string") return tag;
  if (tag.format === "TIME") return "intTime";
  return tag.tag;
}

const isObject = (value: unknown): value is RenderedObject => {
  const { kind, metadata } = (value ?? {}) as { kind?: unknown; metadata?: { name?: unknown } };
  return typeof kind === "string" && (kind.endsWith("List") || typeof metadata?.name === "string");
};

/** Made and removed by helm around an operation, not part of what stays. */
export const isHook = (object: RenderedObject): boolean =>
  object.metadata.annotations?.["helm.sh/hook"] !== undefined;

/** The same for the same objects, in whatever order and layout they are written. */
export function digestManifests(objects: readonly RenderedObject[]): string {
  const lines = objects.map((object) => JSON.stringify(sorted(object))).toSorted();
  return `sha256:${createHash("sha256").update(lines.join("\n")).digest("hex")}`;
}

/** The same data with all keys in one order, so that its JSON can be compared and hashed. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** The same objects, the contents of Secrets replaced by a word too short to guess them from, long enough to differ. */
export function hideSecrets(objects: readonly RenderedObject[]): RenderedObject[] {
  return objects.map((object) => {
    if (object.kind !== "Secret") return object;
    return {
      ...object,
      ...(object["data"] !== undefined && { data: hidden(object["data"]) }),
      ...(object["stringData"] !== undefined && { stringData: hidden(object["stringData"]) }),
    };
  });
}

const hidden = (data: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((data ?? {}) as Record<string, unknown>).map(([key, value]) => [
      key,
      `hidden-${createHash("sha256").update(String(value)).digest("hex").slice(0, 4)}`,
    ]),
  );
