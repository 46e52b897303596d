import { defineError } from "../../../errors/index.ts";

export const artifactMissing = defineError(
  "K3S_ARTIFACT_MISSING",
  (f: { folder: string; name: string; version: string; cause?: unknown }) => ({
    what: `Cannot find "${f.name}" of K3s ${f.version}`,
    why: `it is not in "${f.folder}", which the cluster file names for the files of K3s`,
    next: `Download "${f.name}" from the release page of K3s v${f.version} into "${f.folder}", then run the command again`,
    cause: f.cause,
  }),
);

export const checksumMissing = defineError(
  "K3S_CHECKSUM_MISSING",
  (f: { name: string; file: string; version: string }) => ({
    what: `Cannot tell whether "${f.name}" of K3s ${f.version} is genuine`,
    why: `"${f.file}" names no checksum for it`,
    next: `Check that "${f.file}" is the one of K3s v${f.version}, as its release page has it`,
  }),
);

export const checksumWrong = defineError(
  "K3S_CHECKSUM",
  (f: { name: string; file: string; wanted: string; found: string }) => ({
    what: `Cannot use "${f.name}" of K3s`,
    why: `the checksum of "${f.file}" is ${f.found}, and the release says ${f.wanted}`,
    next: "Run the command again to fetch it again; if it comes from a mirror or a folder, put the file of exactly this version there",
  }),
);
