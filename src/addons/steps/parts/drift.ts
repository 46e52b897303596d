import type { KubeClient, KubeObject, Manifest } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { Semaphore } from "../../../lib/index.ts";
import type { FieldChange } from "../../../plan/index.ts";
import { changedPaths } from "./changed-paths.ts";
import { nameOf } from "./missing-objects.ts";
import { refOf } from "./part-objects.ts";

const atOnce = 12;
/** More objects than this are counted, not named. */
const mostNamed = 6;

/** An object that is not as it should be; which fields is said, but never what is in them. */
export interface Drift {
  name: string;
  isMissing: boolean;
  paths: string[];
  /** The server refuses to change it: it has to be made anew. */
  isReplaced?: true;
  /** A webhook that judges it does not answer. */
  isUnknown?: true;
}

/** Kinds whose fields cannot be changed, and which nothing that exists depends on: volumes do not mind a new class. */
const replaceable = new Set(["StorageClass"]);

/** Whether an object the server refuses to change may be deleted and made anew. */
export const isReplaceable = ({ kind }: Pick<Manifest, "kind">, thrown: unknown): boolean =>
  replaceable.has(kind) && thrown instanceof SlipwayError && thrown.code === "KUBE_INVALID";

const isWebhookDown = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && thrown.code === "KUBE_WEBHOOK_DOWN";

/** Objects that are gone, or that somebody changed where these manifests have a say. The server itself is asked, and keeps nothing. */
export async function driftOf(
  kube: KubeClient,
  objects: Manifest[],
  signal: AbortSignal,
  options: { isLenient?: boolean } = {},
): Promise<Drift[]> {
  const places = new Semaphore(atOnce);
  const looks = objects.map((object) =>
    places.use(() => lookAt(kube, object, signal, options.isLenient ?? false), signal),
  );
  return (await Promise.all(looks)).flatMap((drift) => drift ?? []);
}

async function lookAt(
  kube: KubeClient,
  object: Manifest,
  signal: AbortSignal,
  isLenient: boolean,
): Promise<Drift | undefined> {
  const ref = refOf(object);
  const name = nameOf(ref);
  const found = await kube.get(ref, signal);
  if (!found) return { name, isMissing: true, paths: [] };
  try {
    const asWanted = await kube.apply(object, { isForced: true, isDryRun: true, signal });
    const paths = changedPaths(contentOf(found), contentOf(asWanted));
    return paths.length === 0 ? undefined : { name, isMissing: false, paths };
  } catch (thrown) {
    if (isReplaceable(object, thrown))
      return { name, isMissing: false, paths: wishesUnmet(found, object), isReplaced: true };
    // Nobody can say how it would be; a plan is made all the same, and up then fails there and nowhere else.
    if (isWebhookDown(thrown))
      return isLenient ? undefined : { name, isMissing: false, paths: [], isUnknown: true };
    // What a chart brings may hold fields the server does not know: helm lets that pass, and so does this look.
    if (isLenient && thrown instanceof SlipwayError && !thrown.transient) return undefined;
    throw thrown;
  }
}

/** Fields of the manifest that are not so. */
function wishesUnmet(found: KubeObject, manifest: Manifest): string[] {
  const { metadata: _metadata, ...wanted } = manifest;
  const same = Object.fromEntries(Object.keys(wanted).map((key) => [key, found[key]]));
  return changedPaths(same, wanted);
}

/** All that a person would call the object's content. */
function contentOf(object: KubeObject): Record<string, unknown> {
  const { labels = {}, annotations = {} } = object.metadata;
  const { status: _s, metadata: _m, ...rest } = object;
  return { ...rest, metadata: { labels, annotations } };
}

/** As the plan tells it. */
export function driftFields(drifts: Drift[], whose: string): FieldChange[] {
  const missing = drifts.filter(({ isMissing }) => isMissing);
  const changed = drifts.filter(({ isMissing }) => !isMissing);
  return [
    ...(missing.length > mostNamed
      ? [{ field: `${missing.length} objects of ${whose}`, from: "missing", to: "there" }]
      : missing.map(({ name }) => ({ field: name, from: "missing", to: "there" }))),
    ...(changed.length > mostNamed
      ? [{ field: `${changed.length} objects of ${whose}`, from: "changed", to: "as in the file" }]
      : changed.map(({ name, paths, isReplaced, isUnknown }) => ({
          field: name,
          from: isUnknown
            ? "its webhook does not answer"
            : `${listed(paths)} differ${paths.length === 1 ? "s" : ""}`,
          to: isReplaced ? "deleted and created again, as in the file" : "as in the file",
        }))),
  ];
}

/** Paths for people: the first few, and how many more. */
export const listed = (paths: string[]): string =>
  paths.length > 4 ? `${paths.slice(0, 4).join(", ")} and ${paths.length - 4} more` : paths.join(", ");
