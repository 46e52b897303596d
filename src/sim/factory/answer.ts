import { SlipwayError } from "../../errors/index.ts";
import {
  checkExtensions,
  readSchematic,
  schematicId,
  schematicYaml,
  type Schematic,
} from "../../images/index.ts";
import { isVersion, versions } from "./catalogue.ts";

/** What a factory keeps. */
export interface Store {
  schematics: Map<string, Schematic>;
  extensions: readonly string[];
  /** The enterprise edition writes the owner into every schematic, which changes its id. */
  owner?: string | undefined;
}

export interface Answer {
  status: number;
  type: string;
  /** Images are only pretended: their length is told, their content is not there. */
  body: string | { bytes: number };
}

const imageFile =
  /^(?:nocloud|metal)-(?:amd64|arm64)(?:-secureboot)?\.(?:qcow2|raw|iso|vhd|ova)(?:\.(?:xz|gz|zst))?$/;

/** About what a disk image with a few extensions takes. */
const imageBytes = 96 * 2 ** 20;

/** Answers a request as the public factory does. Errors are plain text, and a version it lacks is a 500. */
export function answer(store: Store, method: string, path: string, body: string): Answer {
  const [, first = "", ...rest] = path.split("?")[0]?.split("/") ?? [];
  if (method === "POST" && path === "/schematics") return register(store, body);
  if (method !== "GET" && method !== "HEAD") return plain(405, "Method Not Allowed");
  if (first === "schematics" && rest.length === 1) return findSchematic(store, rest[0] ?? "");
  if (path === "/versions")
    return json(
      200,
      versions.map((version) => `v${version}`),
    );
  if (first === "version" && rest.slice(1).join("/") === "extensions/official") {
    return extensions(store, rest[0] ?? "");
  }
  if (first === "image" && rest.length === 3) return image(store, rest);
  return plain(404, "404 page not found");
}

function register(store: Store, body: string): Answer {
  let schematic: Schematic;
  try {
    schematic = readSchematic(body, "the request");
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    return plain(400, `invalid schematic: ${error.why}`);
  }
  const kept = { ...schematic, ...(store.owner !== undefined && { owner: store.owner }) };
  const id = schematicId(kept);
  store.schematics.set(id, kept);
  return json(201, { id, schematic: schematicYaml(kept) });
}

function findSchematic(store: Store, id: string): Answer {
  const known = store.schematics.get(id);
  return known
    ? { status: 200, type: "application/yaml", body: schematicYaml(known) }
    : plain(404, `schematic ID "${id}" not found`);
}

function extensions(store: Store, tag: string): Answer {
  const version = tag.replace(/^v/, "");
  if (!isVersion(version)) return noVersion(tag);
  return json(
    200,
    store.extensions.map((name) => ({
      name,
      ref: `ghcr.io/${name}:v${version}`,
      digest: `sha256:${schematicId({ officialExtensions: [name] })}`,
      author: "Sidero Labs",
      description: `System extension ${name.split("/").at(-1) ?? name}.`,
    })),
  );
}

function image(store: Store, [id = "", tag = "", file = ""]: string[]): Answer {
  const known = store.schematics.get(id);
  if (!known) return plain(404, `schematic ID "${id}" not found`);
  const version = tag.replace(/^v/, "");
  if (!isVersion(version)) return noVersion(tag);
  if (!imageFile.test(file)) return plain(400, `invalid profile: "${file}"`);
  try {
    checkExtensions(known.officialExtensions ?? [], store.extensions, version);
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    return plain(400, `official extension not available for Talos version ${tag}`);
  }
  return { status: 200, type: "application/octet-stream", body: { bytes: imageBytes } };
}

const noVersion = (tag: string): Answer =>
  plain(500, `error getting version: version ${tag} is not available`);

const plain = (status: number, text: string): Answer => ({
  status,
  type: "text/plain; charset=utf-8",
  body: `${text}\n`,
});

const json = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});
