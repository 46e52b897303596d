import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { SlipwayError } from "../../../errors/index.ts";
import { replaceFile } from "../../../lib/index.ts";
import { digestManifests, hideSecrets, sorted, splitManifests, type RenderedObject } from "./manifests.ts";
import type { RenderWant } from "../options.ts";

/** What a rendering depends on. Secrets in the values should still be references: a hash of them names a file. */
export type RenderKey = Omit<RenderWant, "chart"> & {
  /** The chart's digest where it is known, else source and version: what was once published does not change. */
  chart: string;
};

/** What a chart renders to, or why that is not known yet. Contents of Secrets are hidden. */
export type Rendering =
  | { isKnown: true; objects: RenderedObject[]; digest: string }
  | { isKnown: false; why: SlipwayError };

/**
 * Renders once and keeps the result in `folder`, so that a plan can show it without helm, network or cluster. What
 * cannot be rendered now (no helm, chart not fetched) is not known, and says why; mistakes in values are thrown.
 */
export async function renderCached(
  folder: string,
  key: RenderKey,
  render: () => Promise<string>,
): Promise<Rendering> {
  const file = path.join(folder, `${renderName(key)}.json`);
  const kept = await readKept(file);
  if (kept !== undefined) return known(kept);
  try {
    const objects = hideSecrets(splitManifests(await render()));
    await replaceFile(file, `${JSON.stringify(objects, null, 1)}\n`);
    return known(objects);
  } catch (error) {
    if (error instanceof SlipwayError && outsideReasons.has(error.code))
      return { isKnown: false, why: error };
    throw error;
  }
}

/** What a chart was rendered to when it was last asked for; undefined when it never was. */
export const keptRendering = (folder: string, key: RenderKey): Promise<RenderedObject[] | undefined> =>
  readKept(path.join(folder, `${renderName(key)}.json`));

/** Reasons that lie outside the chart and its values. */
const outsideReasons = new Set([
  "HELM_MISSING",
  "HELM_TOO_OLD",
  "HELM_DOWNLOAD_FAILED",
  "HELM_REPOSITORY_UNREACHABLE",
  "HELM_CHART_NOT_FOUND",
  "HELM_CHART_UNTRUSTED",
]);

const known = (objects: RenderedObject[]): Rendering => ({
  isKnown: true,
  objects,
  digest: digestManifests(objects),
});

async function readKept(file: string): Promise<RenderedObject[] | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as RenderedObject[];
  } catch {
    // Absent, or half a file of a crash before renames were safe: rendering again mends both.
    return undefined;
  }
}

const renderName = (key: RenderKey): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(key)))
    .digest("hex")
    .slice(0, 32);
