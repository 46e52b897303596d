import { SlipwayError } from "../errors/index.ts";

export const extensionsNotOffered = (f: {
  missing: readonly string[];
  offered: readonly string[];
  version: string;
}) =>
  new SlipwayError({
    code: "IMAGE_EXTENSION_UNKNOWN",
    what: `Cannot build an image of Talos ${f.version} with ${f.missing.map((name) => `"${name}"`).join(", ")}`,
    why: "the image factory does not offer it for this version",
    next:
      nearest(f.missing[0] ?? "", f.offered) ??
      "Choose from the factory's list of extensions for this version",
  });

function nearest(name: string, offered: readonly string[]): string | undefined {
  const word = name.split("/").at(-1) ?? name;
  const alike = offered.filter(
    (other) => other.includes(word) || word.includes(other.split("/").at(-1) ?? other),
  );
  return alike.length > 0
    ? `Did you mean ${alike
        .slice(0, 3)
        .map((other) => `"${other}"`)
        .join(" or ")}?`
    : undefined;
}

export const schematicUnreadable = (f: { file: string; problem: string }) =>
  new SlipwayError({
    code: "IMAGE_SCHEMATIC_UNREADABLE",
    what: `Cannot read the schematic "${f.file}"`,
    why: f.problem,
    next: `Correct "${f.file}"; the image factory would refuse it too`,
  });
