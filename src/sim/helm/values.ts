import { parse, stringify } from "yaml";
import type { RenderedObject } from "../../clients/helm/index.ts";
import { HelmFailure } from "./apply-objects.ts";

/** Values from stdin, where our client gives them. */
export function readValues(text: string): Record<string, unknown> {
  try {
    return (parse(text, { version: "1.1" }) ?? {}) as Record<string, unknown>;
  } catch {
    throw new HelmFailure("failed to parse -: cannot unmarshal yaml document");
  }
}

export const writeManifests = (objects: readonly RenderedObject[]): string =>
  objects.map((object) => `---\n${stringify(object, { version: "1.1", lineWidth: 0 })}`).join("");
