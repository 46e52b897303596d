import { defineError } from "../../errors/index.ts";

export const fileNotReadable = defineError(
  "FLEET_FILE_UNREADABLE",
  (f: { what: string; file: string; why: string }) => ({
    what: `Cannot take ${f.what} into a Secret`,
    why: `"${f.file}" could not be read: ${f.why}`,
    next: "Run the command where the file is, or name another one",
  }),
);

export const patchNotAdoptable = defineError("FLEET_PATCH_UNFIT", (file: string) => ({
  what: `Cannot take the patch "${file}" into an object`,
  why: "it is not made of maps, and an object holds no others",
  next: "Write it as a strategic merge patch, as it would stand in a machine config",
}));

export const noObjects = defineError("FLEET_NO_OBJECTS", (f: { where: string }) => ({
  what: "Cannot write a cluster file",
  why: `there is no SlipwayCluster in ${f.where}`,
  next: "Name the namespace of the controller: slipway fleet export --namespace NAMESPACE",
}));

export const objectsNotReadable = defineError(
  "FLEET_OBJECTS_UNREADABLE",
  (f: { file: string; why: string }) => ({
    what: `Cannot read objects from "${f.file}"`,
    why: f.why,
    next: "Give it a file of YAML documents, as slipway fleet adopt prints them",
  }),
);

export const exportDocumentsMissing = defineError(
  "FLEET_DOCUMENTS_MISSING",
  (f: { cluster: string; kind: string; name: string }) => ({
    what: `Cannot write the secrets of "${f.cluster}"`,
    why: `its object names documents in a ${f.kind} "${f.name}", and there is none`,
    next: "Put it back first: without its secrets nobody reaches the cluster's nodes",
  }),
);

export const exportRefMissing = defineError(
  "FLEET_SECRET_MISSING",
  (f: { object: string; path: string; name: string; key: string }) => ({
    what: `Cannot write "${f.path}" of ${f.object}`,
    why: `there is no key "${f.key}" in a Secret "${f.name}"`,
    next: `Create the Secret, or take "${f.path}" out of the object`,
  }),
);
