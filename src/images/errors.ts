import { defineError } from "../errors/index.ts";

export const extensionsNotOffered = defineError(
  "IMAGE_EXTENSION_UNKNOWN",
  (f: { missing: readonly string[]; offered: readonly string[]; version: string }) => ({
    what: `Cannot build an image of Talos ${f.version} with ${f.missing.map((name) => `"${name}"`).join(", ")}`,
    why: "the image factory does not offer it for this version",
    next:
      nearest(f.missing[0] ?? "", f.offered) ??
      "Choose from the factory's list of extensions for this version",
  }),
);

function nearest(name: string, offered: readonly string[]): string | undefined {
  const word = name.split("/").at(-1) ?? name;
  const alike = offered
    .map((other) => ({ other, likeness: likeness(word, other.split("/").at(-1) ?? other) }))
    .filter((each) => each.likeness > 0.6)
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ other }) => other);
  return alike.length > 0
    ? `Did you mean ${alike
        .slice(0, 3)
        .map((other) => `"${other}"`)
        .join(" or ")}?`
    : undefined;
}

/** How alike two names are, from 0 to 1: by the pairs of letters they share, or because one is in the other. */
function likeness(one: string, other: string): number {
  const pairs = (word: string) =>
    new Set(Array.from(word.slice(1), (letter, at) => `${word[at] ?? ""}${letter}`));
  const [a, b] = [pairs(one), pairs(other)];
  const shared = [...a].filter((pair) => b.has(pair)).length;
  const byPairs = (2 * shared) / Math.max(1, a.size + b.size);
  return other.includes(one) || one.includes(other) ? Math.max(byPairs, 0.7) : byPairs;
}

export const schematicUnreadable = defineError(
  "IMAGE_SCHEMATIC_UNREADABLE",
  (f: { file: string; problem: string }) => ({
    what: `Cannot read the schematic "${f.file}"`,
    why: f.problem,
    next: `Correct "${f.file}"; the image factory would refuse it too`,
  }),
);

export const imageFileMissing = defineError("IMAGE_FILE_MISSING", (file: string) => ({
  what: `Cannot read the image "${file}"`,
  why: "there is no such file",
  next: `Put the image there, or correct "image.file" in the cluster file; its path is relative to that file`,
}));

export const imageNotInFolder = defineError(
  "IMAGE_NOT_IN_FOLDER",
  (f: { folder: string; name: string; url: string }) => ({
    what: `Cannot find the cluster's image in "${f.folder}"`,
    why: `it has no "${f.name}", nor one of the other names such an image may have there`,
    next: `Where there is a network run: curl -fLo "${f.name}" --create-dirs ${f.url}, and copy it into that folder`,
  }),
);

export const imageChecksumWrong = defineError(
  "IMAGE_CHECKSUM_WRONG",
  (f: { file: string; algorithm: string; found: string; needed: string }) => ({
    what: `Cannot use the image "${f.file}"`,
    why: `its ${f.algorithm} is ${f.found}, the cluster file says ${f.needed}`,
    next: "Fetch the image again, or correct the checksum in the cluster file",
  }),
);

export const unpackerMissing = defineError(
  "IMAGE_UNPACKER_MISSING",
  (f: { file: string; program: string; package: string }) => ({
    what: `Cannot unpack the image "${f.file}"`,
    why: `the program "${f.program}" is not installed here, and Proxmox does not unpack disk images`,
    next: `Install the package "${f.package}", or unpack the file elsewhere and name the unpacked one`,
  }),
);

export const imageNotUnpacked = defineError(
  "IMAGE_NOT_UNPACKED",
  (f: { file: string; reason: string; cause?: unknown }) => ({
    what: `Cannot unpack the image "${f.file}"`,
    why: f.reason,
    next: "Fetch the image again: it seems to be cut off, or it is not what its name says",
    cause: f.cause,
  }),
);

export const packedDownload = defineError("IMAGE_PACKED_DOWNLOAD", (f: { url: string; packing: string }) => ({
  what: `Cannot let the hosts fetch the packed image ${f.url}`,
  why: `Proxmox does not unpack disk images, and this one is packed with ${f.packing}`,
  next: `Name the address of the unpacked image, or download it and write image: { file: ./FILE }: Slipway unpacks what it uploads`,
}));

export const versionNotOffered = defineError(
  "IMAGE_VERSION_UNKNOWN",
  (f: { version: string; factory: string; newest?: string | undefined }) => ({
    what: `Cannot get an image of Talos ${f.version}`,
    why: `the image factory ${f.factory} has no such version`,
    next:
      f.newest === undefined
        ? `Choose a version of ${f.factory}/versions`
        : `Write talos.version: ${f.newest}, the newest of that line`,
  }),
  [{ newest: undefined }],
);
